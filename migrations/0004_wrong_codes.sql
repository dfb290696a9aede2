CREATE TABLE `wrong_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`address` text NOT NULL,
	`is_known_address` integer NOT NULL,
	`entered_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "wrong_codes_is_known_address" CHECK("wrong_codes"."is_known_address" in (0, 1))
);
--> statement-breakpoint
CREATE INDEX `wrong_codes_by_user` ON `wrong_codes` (`user_id`,`entered_at`);--> statement-breakpoint
CREATE INDEX `wrong_codes_by_time` ON `wrong_codes` (`entered_at`);--> statement-breakpoint
ALTER TABLE `users` ADD `second_factor_created_at` text;