DROP INDEX `audit_events_by_action`;--> statement-breakpoint
DROP INDEX `audit_events_by_time`;--> statement-breakpoint
CREATE INDEX `audit_events_by_time` ON `audit_events` (`created_at`,`id`,`action`);--> statement-breakpoint
DROP INDEX `informer_groups_in_order`;