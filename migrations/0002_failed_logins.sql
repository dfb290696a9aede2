CREATE TABLE `failed_logins` (
	`id` text PRIMARY KEY NOT NULL,
	`identifier` text NOT NULL,
	`failed_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL
);
--> statement-breakpoint
CREATE INDEX `failed_logins_by_identifier` ON `failed_logins` (`identifier`,`failed_at`);--> statement-breakpoint
CREATE INDEX `failed_logins_by_time` ON `failed_logins` (`failed_at`);