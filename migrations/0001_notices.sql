CREATE TABLE `notices` (
	`email` text NOT NULL,
	`kind` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`user_id` text NOT NULL,
	PRIMARY KEY(`user_id`, `email`, `kind`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `notices_by_time` ON `notices` (`due_at`);--> statement-breakpoint
DROP INDEX `email_outbox_links_by_time`;--> statement-breakpoint
DROP INDEX `email_outbox_notices_by_time`;--> statement-breakpoint
CREATE INDEX `email_outbox_by_time` ON `email_outbox` (`due_at`);
--> statement-breakpoint
-- Written by hand: the notices that wait move to their own table.
INSERT INTO `notices` (`email`, `kind`, `attempts`, `due_at`, `user_id`)
SELECT `email`, `kind`, `attempts`, `due_at`, `user_id` FROM `email_outbox` WHERE `user_id` IS NOT NULL;
--> statement-breakpoint
DELETE FROM `email_outbox` WHERE `user_id` IS NOT NULL;
