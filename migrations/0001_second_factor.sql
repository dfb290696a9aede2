ALTER TABLE `users` ADD `second_factor_secret` text;--> statement-breakpoint
ALTER TABLE `users` ADD `second_factor_enabled_at` text;--> statement-breakpoint
ALTER TABLE `users` ADD `second_factor_step` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `second_factor_request_id` text;