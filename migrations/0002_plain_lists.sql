DROP INDEX `idempotency_keys_by_creation`;--> statement-breakpoint
ALTER TABLE `idempotency_keys` ADD `content_hash` text;--> statement-breakpoint
DROP INDEX `informer_groups_by_group`;--> statement-breakpoint
ALTER TABLE `informer_groups` ADD `process_id` text;--> statement-breakpoint
ALTER TABLE `informer_groups` ADD `name_folded` text;--> statement-breakpoint
CREATE INDEX `informer_groups_by_process` ON `informer_groups` (`process_id`,`name_folded`,`informer_id`);--> statement-breakpoint
CREATE INDEX `informer_groups_by_group` ON `informer_groups` (`group_id`,`name_folded`,`informer_id`);--> statement-breakpoint
DROP INDEX `users_by_name`;--> statement-breakpoint
CREATE INDEX `users_by_name` ON `users` (`role_id`,`name_folded`,`id`,`email`,`cpf`);--> statement-breakpoint
CREATE INDEX `changelogs_by_category` ON `changelogs` (`category`,`date`,`version_major`,`version_minor`,`version_patch`,`created_at`,`id`,`is_published`);--> statement-breakpoint
-- Written by hand: what the schema of drizzle cannot say.

-- Lists have no revisions any more. The table goes in a later release: the Worker before this one still reads it.
DROP TRIGGER `categories_inserted`;--> statement-breakpoint
DROP TRIGGER `categories_updated`;--> statement-breakpoint
DROP TRIGGER `categories_deleted`;--> statement-breakpoint
DROP TRIGGER `dioceses_inserted`;--> statement-breakpoint
DROP TRIGGER `dioceses_updated`;--> statement-breakpoint
DROP TRIGGER `dioceses_deleted`;--> statement-breakpoint
DROP TRIGGER `treatment_pronouns_inserted`;--> statement-breakpoint
DROP TRIGGER `treatment_pronouns_updated`;--> statement-breakpoint
DROP TRIGGER `treatment_pronouns_deleted`;--> statement-breakpoint
UPDATE `informer_groups` SET
	`process_id` = (SELECT `process_id` FROM `groups` WHERE `groups`.`id` = `group_id`),
	`name_folded` = (SELECT `name_folded` FROM `users` WHERE `users`.`id` = `informer_id`);--> statement-breakpoint
-- For the Worker before this one, which knows neither column.
CREATE TRIGGER `informer_groups_inserted` AFTER INSERT ON `informer_groups`
WHEN new.`process_id` IS NULL
BEGIN
	UPDATE `informer_groups` SET
		`process_id` = (SELECT `process_id` FROM `groups` WHERE `groups`.`id` = new.`group_id`),
		`name_folded` = (SELECT `name_folded` FROM `users` WHERE `users`.`id` = new.`informer_id`)
	WHERE `id` = new.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `users_renamed` AFTER UPDATE OF `name_folded` ON `users`
WHEN old.`name_folded` IS NOT new.`name_folded`
BEGIN
	UPDATE `informer_groups` SET `name_folded` = new.`name_folded` WHERE `informer_id` = new.`id`;
END;
