ALTER TABLE `groups` ADD `name_folded` text;--> statement-breakpoint
CREATE UNIQUE INDEX `groups_of_a_process_folded` ON `groups` (`process_id`,`name_folded`);--> statement-breakpoint
ALTER TABLE `processes` ADD `name_folded` text;--> statement-breakpoint
ALTER TABLE `processes` ADD `protocol_folded` text;--> statement-breakpoint
CREATE UNIQUE INDEX `processes_protocol_folded_unique` ON `processes` (`protocol_folded`);--> statement-breakpoint
ALTER TABLE `questionnaires` ADD `title_folded` text;--> statement-breakpoint
CREATE UNIQUE INDEX `questionnaires_of_a_group_folded` ON `questionnaires` (`group_id`,`title_folded`);--> statement-breakpoint
CREATE INDEX `informer_completions_by_questionnaire` ON `informer_completions` (`questionnaire_id`);--> statement-breakpoint
-- Written by hand: what the schema of drizzle cannot say.

-- The letters of Portuguese without case and accents, as src/domain/folding.ts folds them. Of rows that collide, all but
-- one keep null.
UPDATE `processes` SET `name_folded` =
	lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
		`name`, 'á', 'a'), 'à', 'a'), 'â', 'a'), 'ã', 'a'), 'Á', 'a'), 'À', 'a'), 'Â', 'a'), 'Ã', 'a')
		, 'é', 'e'), 'ê', 'e'), 'É', 'e'), 'Ê', 'e')
		, 'í', 'i'), 'Í', 'i')
		, 'ó', 'o'), 'ô', 'o'), 'õ', 'o'), 'Ó', 'o'), 'Ô', 'o'), 'Õ', 'o')
		, 'ú', 'u'), 'ü', 'u'), 'Ú', 'u'), 'Ü', 'u')
		, 'ç', 'c'), 'Ç', 'c'), 'ª', 'a'), 'º', 'o'));
--> statement-breakpoint
UPDATE OR IGNORE `processes` SET `protocol_folded` =
	lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
		`protocol`, 'á', 'a'), 'à', 'a'), 'â', 'a'), 'ã', 'a'), 'Á', 'a'), 'À', 'a'), 'Â', 'a'), 'Ã', 'a')
		, 'é', 'e'), 'ê', 'e'), 'É', 'e'), 'Ê', 'e')
		, 'í', 'i'), 'Í', 'i')
		, 'ó', 'o'), 'ô', 'o'), 'õ', 'o'), 'Ó', 'o'), 'Ô', 'o'), 'Õ', 'o')
		, 'ú', 'u'), 'ü', 'u'), 'Ú', 'u'), 'Ü', 'u')
		, 'ç', 'c'), 'Ç', 'c'), 'ª', 'a'), 'º', 'o'));
--> statement-breakpoint
UPDATE OR IGNORE `groups` SET `name_folded` =
	lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
		`name`, 'á', 'a'), 'à', 'a'), 'â', 'a'), 'ã', 'a'), 'Á', 'a'), 'À', 'a'), 'Â', 'a'), 'Ã', 'a')
		, 'é', 'e'), 'ê', 'e'), 'É', 'e'), 'Ê', 'e')
		, 'í', 'i'), 'Í', 'i')
		, 'ó', 'o'), 'ô', 'o'), 'õ', 'o'), 'Ó', 'o'), 'Ô', 'o'), 'Õ', 'o')
		, 'ú', 'u'), 'ü', 'u'), 'Ú', 'u'), 'Ü', 'u')
		, 'ç', 'c'), 'Ç', 'c'), 'ª', 'a'), 'º', 'o'));
--> statement-breakpoint
UPDATE OR IGNORE `questionnaires` SET `title_folded` =
	lower(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
		`title`, 'á', 'a'), 'à', 'a'), 'â', 'a'), 'ã', 'a'), 'Á', 'a'), 'À', 'a'), 'Â', 'a'), 'Ã', 'a')
		, 'é', 'e'), 'ê', 'e'), 'É', 'e'), 'Ê', 'e')
		, 'í', 'i'), 'Í', 'i')
		, 'ó', 'o'), 'ô', 'o'), 'õ', 'o'), 'Ó', 'o'), 'Ô', 'o'), 'Õ', 'o')
		, 'ú', 'u'), 'ü', 'u'), 'Ú', 'u'), 'Ü', 'u')
		, 'ç', 'c'), 'Ç', 'c'), 'ª', 'a'), 'º', 'o'));
