CREATE TABLE `release_commits` (
	`hash` text PRIMARY KEY NOT NULL,
	`parents` text
);
--> statement-breakpoint
ALTER TABLE `imported_commits` ADD `is_on_branch` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- The next import reads the branch again, so that its commits are known to be on it.
UPDATE sync_cursors SET head = '';
