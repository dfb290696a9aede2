CREATE TABLE `transactions` (
	`id` text PRIMARY KEY NOT NULL,
	`caller_is_current` integer DEFAULT true NOT NULL,
	`precondition_holds` integer DEFAULT true NOT NULL,
	`committed_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	CONSTRAINT "caller_is_current" CHECK("transactions"."caller_is_current"),
	CONSTRAINT "precondition_holds" CHECK("transactions"."precondition_holds")
);
--> statement-breakpoint
CREATE INDEX `transactions_by_time` ON `transactions` (`committed_at`);--> statement-breakpoint
DROP TABLE `release_commits`;--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_email_outbox` (
	`email` text NOT NULL,
	`kind` text NOT NULL,
	`user_id` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	PRIMARY KEY(`email`, `kind`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_email_outbox`("email", "kind", "user_id", "attempts", "due_at") SELECT "email", "kind", "user_id", "attempts", "due_at" FROM `email_outbox`;--> statement-breakpoint
DROP TABLE `email_outbox`;--> statement-breakpoint
ALTER TABLE `__new_email_outbox` RENAME TO `email_outbox`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `email_outbox_by_time` ON `email_outbox` (`due_at`);--> statement-breakpoint
CREATE INDEX `email_outbox_by_user` ON `email_outbox` (`user_id`) WHERE "email_outbox"."user_id" is not null;--> statement-breakpoint
CREATE TABLE `__new_sent_emails` (
	`email_hash` text NOT NULL,
	`kind` text NOT NULL,
	`sent_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_sent_emails`("email_hash", "kind", "sent_at") SELECT "address", "kind", "sent_at" FROM `sent_emails`;--> statement-breakpoint
DROP TABLE `sent_emails`;--> statement-breakpoint
ALTER TABLE `__new_sent_emails` RENAME TO `sent_emails`;--> statement-breakpoint
CREATE INDEX `sent_emails_by_email` ON `sent_emails` (`email_hash`,`kind`,`sent_at`);--> statement-breakpoint
CREATE INDEX `sent_emails_by_time` ON `sent_emails` (`sent_at`);--> statement-breakpoint
DROP INDEX `audit_events_once`;--> statement-breakpoint
CREATE INDEX `audit_events_by_request` ON `audit_events` (`request_id`,`action`,`subject_id`);--> statement-breakpoint
ALTER TABLE `audit_events` DROP COLUMN `pair_id`;--> statement-breakpoint
ALTER TABLE `users` ADD `revision` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `users` DROP COLUMN `second_factor_request_id`;--> statement-breakpoint
-- Written by hand: a used token is deleted now, so none that was used may stay.
DELETE FROM `email_tokens` WHERE `used_by` IS NOT NULL;--> statement-breakpoint
ALTER TABLE `email_tokens` DROP COLUMN `used_by`;--> statement-breakpoint
ALTER TABLE `imported_commits` DROP COLUMN `is_on_branch`;