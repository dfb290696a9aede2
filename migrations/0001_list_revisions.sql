CREATE TABLE `list_revisions` (
	`list` text PRIMARY KEY NOT NULL,
	`revision` text NOT NULL
);
--> statement-breakpoint
-- Written by hand: what the schema of drizzle cannot say. A random value and not a counter, because a counter would
-- repeat after a restore (Time Travel).
INSERT INTO `list_revisions` (`list`, `revision`) VALUES
  ('categories', lower(hex(randomblob(8)))),
  ('dioceses', lower(hex(randomblob(8)))),
  ('treatment_pronouns', lower(hex(randomblob(8))));
--> statement-breakpoint
CREATE TRIGGER `categories_inserted` AFTER INSERT ON `categories`
BEGIN
	UPDATE `list_revisions` SET `revision` = lower(hex(randomblob(8))) WHERE `list` = 'categories';
END;
--> statement-breakpoint
CREATE TRIGGER `categories_updated` AFTER UPDATE ON `categories`
BEGIN
	UPDATE `list_revisions` SET `revision` = lower(hex(randomblob(8))) WHERE `list` = 'categories';
END;
--> statement-breakpoint
CREATE TRIGGER `categories_deleted` AFTER DELETE ON `categories`
BEGIN
	UPDATE `list_revisions` SET `revision` = lower(hex(randomblob(8))) WHERE `list` = 'categories';
END;
--> statement-breakpoint
CREATE TRIGGER `dioceses_inserted` AFTER INSERT ON `dioceses`
BEGIN
	UPDATE `list_revisions` SET `revision` = lower(hex(randomblob(8))) WHERE `list` = 'dioceses';
END;
--> statement-breakpoint
CREATE TRIGGER `dioceses_updated` AFTER UPDATE ON `dioceses`
BEGIN
	UPDATE `list_revisions` SET `revision` = lower(hex(randomblob(8))) WHERE `list` = 'dioceses';
END;
--> statement-breakpoint
CREATE TRIGGER `dioceses_deleted` AFTER DELETE ON `dioceses`
BEGIN
	UPDATE `list_revisions` SET `revision` = lower(hex(randomblob(8))) WHERE `list` = 'dioceses';
END;
--> statement-breakpoint
CREATE TRIGGER `treatment_pronouns_inserted` AFTER INSERT ON `treatment_pronouns`
BEGIN
	UPDATE `list_revisions` SET `revision` = lower(hex(randomblob(8))) WHERE `list` = 'treatment_pronouns';
END;
--> statement-breakpoint
CREATE TRIGGER `treatment_pronouns_updated` AFTER UPDATE ON `treatment_pronouns`
BEGIN
	UPDATE `list_revisions` SET `revision` = lower(hex(randomblob(8))) WHERE `list` = 'treatment_pronouns';
END;
--> statement-breakpoint
CREATE TRIGGER `treatment_pronouns_deleted` AFTER DELETE ON `treatment_pronouns`
BEGIN
	UPDATE `list_revisions` SET `revision` = lower(hex(randomblob(8))) WHERE `list` = 'treatment_pronouns';
END;
