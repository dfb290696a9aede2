CREATE TABLE `api_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`expires_on` text NOT NULL,
	`last_used_on` text,
	FOREIGN KEY (`created_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "api_tokens_expires_on" CHECK("api_tokens"."expires_on" is date("api_tokens"."expires_on"))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_token_hash_unique` ON `api_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `api_tokens_in_order` ON `api_tokens` ("created_at" desc,`id`);--> statement-breakpoint
CREATE INDEX `api_tokens_by_user` ON `api_tokens` (`created_by`);--> statement-breakpoint
CREATE INDEX `api_tokens_by_expiry` ON `api_tokens` (`expires_on`);--> statement-breakpoint
ALTER TABLE `audit_events` ADD `api_token_id` text;--> statement-breakpoint
CREATE INDEX `audit_events_by_api_token` ON `audit_events` (`api_token_id`,`created_at`,`id`) WHERE "audit_events"."api_token_id" is not null;