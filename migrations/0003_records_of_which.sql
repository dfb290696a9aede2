ALTER TABLE `audit_events` ADD `related_type` text;--> statement-breakpoint
ALTER TABLE `audit_events` ADD `related_id` text;--> statement-breakpoint
CREATE INDEX `audit_events_by_related` ON `audit_events` (`related_id`,`created_at`,`id`) WHERE "audit_events"."related_id" is not null;