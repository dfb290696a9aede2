DROP INDEX `categories_name_unique`;--> statement-breakpoint
ALTER TABLE `categories` ADD `name_folded` text;--> statement-breakpoint
CREATE UNIQUE INDEX `categories_by_name` ON `categories` (`name_folded`);--> statement-breakpoint
DROP INDEX `dioceses_name_unique`;--> statement-breakpoint
ALTER TABLE `dioceses` ADD `name_folded` text;--> statement-breakpoint
CREATE UNIQUE INDEX `dioceses_by_name` ON `dioceses` (`state`,`name_folded`);--> statement-breakpoint
DROP INDEX `treatment_pronouns_name_unique`;--> statement-breakpoint
ALTER TABLE `treatment_pronouns` ADD `name_folded` text;--> statement-breakpoint
CREATE UNIQUE INDEX `treatment_pronouns_by_name` ON `treatment_pronouns` (`name_folded`);--> statement-breakpoint
CREATE INDEX `users_by_treatment_pronoun` ON `users` (`treatment_pronoun_id`) WHERE "users"."treatment_pronoun_id" is not null;--> statement-breakpoint
CREATE INDEX `users_by_category` ON `users` (`category_id`) WHERE "users"."category_id" is not null;--> statement-breakpoint
CREATE INDEX `users_by_diocese` ON `users` (`diocese_id`) WHERE "users"."diocese_id" is not null;--> statement-breakpoint
-- Written by hand: what the schema of drizzle cannot say. Folds as domain/folding.ts does, as far as Portuguese needs.
-- Of rows that collide, the first keeps the name; the others keep null until they are renamed.
UPDATE OR IGNORE `categories` SET `name_folded` =
	replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(lower(`name`)
		, 'á', 'a'), 'à', 'a'), 'â', 'a'), 'ã', 'a'), 'ä', 'a'), 'Á', 'a'), 'À', 'a'), 'Â', 'a'), 'Ã', 'a'), 'Ä', 'a')
		, 'é', 'e'), 'è', 'e'), 'ê', 'e'), 'ë', 'e'), 'É', 'e'), 'È', 'e'), 'Ê', 'e'), 'Ë', 'e')
		, 'í', 'i'), 'ì', 'i'), 'î', 'i'), 'ï', 'i'), 'Í', 'i'), 'Ì', 'i'), 'Î', 'i'), 'Ï', 'i')
		, 'ó', 'o'), 'ò', 'o'), 'ô', 'o'), 'õ', 'o'), 'ö', 'o'), 'Ó', 'o'), 'Ò', 'o'), 'Ô', 'o'), 'Õ', 'o'), 'Ö', 'o')
		, 'ú', 'u'), 'ù', 'u'), 'û', 'u'), 'ü', 'u'), 'Ú', 'u'), 'Ù', 'u'), 'Û', 'u'), 'Ü', 'u')
		, 'ç', 'c'), 'Ç', 'c')
		, 'ñ', 'n'), 'Ñ', 'n');--> statement-breakpoint
UPDATE OR IGNORE `treatment_pronouns` SET `name_folded` =
	replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(lower(`name`)
		, 'á', 'a'), 'à', 'a'), 'â', 'a'), 'ã', 'a'), 'ä', 'a'), 'Á', 'a'), 'À', 'a'), 'Â', 'a'), 'Ã', 'a'), 'Ä', 'a')
		, 'é', 'e'), 'è', 'e'), 'ê', 'e'), 'ë', 'e'), 'É', 'e'), 'È', 'e'), 'Ê', 'e'), 'Ë', 'e')
		, 'í', 'i'), 'ì', 'i'), 'î', 'i'), 'ï', 'i'), 'Í', 'i'), 'Ì', 'i'), 'Î', 'i'), 'Ï', 'i')
		, 'ó', 'o'), 'ò', 'o'), 'ô', 'o'), 'õ', 'o'), 'ö', 'o'), 'Ó', 'o'), 'Ò', 'o'), 'Ô', 'o'), 'Õ', 'o'), 'Ö', 'o')
		, 'ú', 'u'), 'ù', 'u'), 'û', 'u'), 'ü', 'u'), 'Ú', 'u'), 'Ù', 'u'), 'Û', 'u'), 'Ü', 'u')
		, 'ç', 'c'), 'Ç', 'c')
		, 'ñ', 'n'), 'Ñ', 'n');--> statement-breakpoint
UPDATE OR IGNORE `dioceses` SET `name_folded` =
	replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(lower(`name`)
		, 'á', 'a'), 'à', 'a'), 'â', 'a'), 'ã', 'a'), 'ä', 'a'), 'Á', 'a'), 'À', 'a'), 'Â', 'a'), 'Ã', 'a'), 'Ä', 'a')
		, 'é', 'e'), 'è', 'e'), 'ê', 'e'), 'ë', 'e'), 'É', 'e'), 'È', 'e'), 'Ê', 'e'), 'Ë', 'e')
		, 'í', 'i'), 'ì', 'i'), 'î', 'i'), 'ï', 'i'), 'Í', 'i'), 'Ì', 'i'), 'Î', 'i'), 'Ï', 'i')
		, 'ó', 'o'), 'ò', 'o'), 'ô', 'o'), 'õ', 'o'), 'ö', 'o'), 'Ó', 'o'), 'Ò', 'o'), 'Ô', 'o'), 'Õ', 'o'), 'Ö', 'o')
		, 'ú', 'u'), 'ù', 'u'), 'û', 'u'), 'ü', 'u'), 'Ú', 'u'), 'Ù', 'u'), 'Û', 'u'), 'Ü', 'u')
		, 'ç', 'c'), 'Ç', 'c')
		, 'ñ', 'n'), 'Ñ', 'n');
