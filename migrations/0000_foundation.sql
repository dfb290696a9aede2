CREATE TABLE `categories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`active` integer DEFAULT true NOT NULL,
	`name_fold_0` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(lower("name"), 'à', 'a'), 'á', 'a'), 'â', 'a'), 'ã', 'a'), 'ä', 'a'), 'å', 'a'), 'ā', 'a'), 'ă', 'a'), 'ą', 'a'), 'ǎ', 'a'), 'À', 'a'), 'Á', 'a'), 'Â', 'a'), 'Ã', 'a'), 'Ä', 'a'), 'Å', 'a'), 'Ā', 'a'), 'Ă', 'a'), 'Ą', 'a'), 'Ǎ', 'a'), 'ç', 'c'), 'ć', 'c'), 'ĉ', 'c'), 'ċ', 'c')) VIRTUAL,
	`name_fold_1` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("name_fold_0", 'č', 'c'), 'Ç', 'c'), 'Ć', 'c'), 'Ĉ', 'c'), 'Ċ', 'c'), 'Č', 'c'), 'ď', 'd'), 'đ', 'd'), 'Ď', 'd'), 'Đ', 'd'), 'è', 'e'), 'é', 'e'), 'ê', 'e'), 'ë', 'e'), 'ẽ', 'e'), 'ē', 'e'), 'ĕ', 'e'), 'ė', 'e'), 'ę', 'e'), 'ě', 'e'), 'È', 'e'), 'É', 'e'), 'Ê', 'e'), 'Ë', 'e')) VIRTUAL,
	`name_fold_2` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("name_fold_1", 'Ẽ', 'e'), 'Ē', 'e'), 'Ĕ', 'e'), 'Ė', 'e'), 'Ę', 'e'), 'Ě', 'e'), 'ĝ', 'g'), 'ğ', 'g'), 'ġ', 'g'), 'ģ', 'g'), 'Ĝ', 'g'), 'Ğ', 'g'), 'Ġ', 'g'), 'Ģ', 'g'), 'ĥ', 'h'), 'Ĥ', 'h'), 'ì', 'i'), 'í', 'i'), 'î', 'i'), 'ï', 'i'), 'ĩ', 'i'), 'ī', 'i'), 'ĭ', 'i'), 'į', 'i')) VIRTUAL,
	`name_fold_3` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("name_fold_2", 'ǐ', 'i'), 'Ì', 'i'), 'Í', 'i'), 'Î', 'i'), 'Ï', 'i'), 'Ĩ', 'i'), 'Ī', 'i'), 'Ĭ', 'i'), 'Į', 'i'), 'Ǐ', 'i'), 'ĵ', 'j'), 'Ĵ', 'j'), 'ķ', 'k'), 'Ķ', 'k'), 'ĺ', 'l'), 'ļ', 'l'), 'ľ', 'l'), 'ł', 'l'), 'Ĺ', 'l'), 'Ļ', 'l'), 'Ľ', 'l'), 'Ł', 'l'), 'ñ', 'n'), 'ń', 'n')) VIRTUAL,
	`name_fold_4` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("name_fold_3", 'ň', 'n'), 'ņ', 'n'), 'Ñ', 'n'), 'Ń', 'n'), 'Ň', 'n'), 'Ņ', 'n'), 'ò', 'o'), 'ó', 'o'), 'ô', 'o'), 'õ', 'o'), 'ö', 'o'), 'ø', 'o'), 'ō', 'o'), 'ŏ', 'o'), 'ő', 'o'), 'ǒ', 'o'), 'Ò', 'o'), 'Ó', 'o'), 'Ô', 'o'), 'Õ', 'o'), 'Ö', 'o'), 'Ø', 'o'), 'Ō', 'o'), 'Ŏ', 'o')) VIRTUAL,
	`name_fold_5` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("name_fold_4", 'Ő', 'o'), 'Ǒ', 'o'), 'ŕ', 'r'), 'ŗ', 'r'), 'ř', 'r'), 'Ŕ', 'r'), 'Ŗ', 'r'), 'Ř', 'r'), 'ś', 's'), 'ŝ', 's'), 'ş', 's'), 'š', 's'), 'ș', 's'), 'Ś', 's'), 'Ŝ', 's'), 'Ş', 's'), 'Š', 's'), 'Ș', 's'), 'ť', 't'), 'ţ', 't'), 'ț', 't'), 'Ť', 't'), 'Ţ', 't'), 'Ț', 't')) VIRTUAL,
	`name_fold_6` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("name_fold_5", 'ù', 'u'), 'ú', 'u'), 'û', 'u'), 'ü', 'u'), 'ũ', 'u'), 'ū', 'u'), 'ŭ', 'u'), 'ů', 'u'), 'ű', 'u'), 'ų', 'u'), 'ǔ', 'u'), 'Ù', 'u'), 'Ú', 'u'), 'Û', 'u'), 'Ü', 'u'), 'Ũ', 'u'), 'Ū', 'u'), 'Ŭ', 'u'), 'Ů', 'u'), 'Ű', 'u'), 'Ų', 'u'), 'Ǔ', 'u'), 'ŵ', 'w'), 'Ŵ', 'w')) VIRTUAL,
	`name_fold_7` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("name_fold_6", 'ý', 'y'), 'ÿ', 'y'), 'ŷ', 'y'), 'ỹ', 'y'), 'Ý', 'y'), 'Ÿ', 'y'), 'Ŷ', 'y'), 'Ỹ', 'y'), 'ź', 'z'), 'ż', 'z'), 'ž', 'z'), 'Ź', 'z'), 'Ż', 'z'), 'Ž', 'z'), 'Æ', 'æ'), 'Œ', 'œ'), 'Ð', 'ð'), 'Þ', 'þ'), '̀', ''), '́', ''), '̂', ''), '̃', ''), '̈', ''), '̌', '')) VIRTUAL,
	`name_folded` text GENERATED ALWAYS AS (replace("name_fold_7", '̧', '')) STORED,
	`description_fold_0` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(lower("description"), 'à', 'a'), 'á', 'a'), 'â', 'a'), 'ã', 'a'), 'ä', 'a'), 'å', 'a'), 'ā', 'a'), 'ă', 'a'), 'ą', 'a'), 'ǎ', 'a'), 'À', 'a'), 'Á', 'a'), 'Â', 'a'), 'Ã', 'a'), 'Ä', 'a'), 'Å', 'a'), 'Ā', 'a'), 'Ă', 'a'), 'Ą', 'a'), 'Ǎ', 'a'), 'ç', 'c'), 'ć', 'c'), 'ĉ', 'c'), 'ċ', 'c')) VIRTUAL,
	`description_fold_1` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("description_fold_0", 'č', 'c'), 'Ç', 'c'), 'Ć', 'c'), 'Ĉ', 'c'), 'Ċ', 'c'), 'Č', 'c'), 'ď', 'd'), 'đ', 'd'), 'Ď', 'd'), 'Đ', 'd'), 'è', 'e'), 'é', 'e'), 'ê', 'e'), 'ë', 'e'), 'ẽ', 'e'), 'ē', 'e'), 'ĕ', 'e'), 'ė', 'e'), 'ę', 'e'), 'ě', 'e'), 'È', 'e'), 'É', 'e'), 'Ê', 'e'), 'Ë', 'e')) VIRTUAL,
	`description_fold_2` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("description_fold_1", 'Ẽ', 'e'), 'Ē', 'e'), 'Ĕ', 'e'), 'Ė', 'e'), 'Ę', 'e'), 'Ě', 'e'), 'ĝ', 'g'), 'ğ', 'g'), 'ġ', 'g'), 'ģ', 'g'), 'Ĝ', 'g'), 'Ğ', 'g'), 'Ġ', 'g'), 'Ģ', 'g'), 'ĥ', 'h'), 'Ĥ', 'h'), 'ì', 'i'), 'í', 'i'), 'î', 'i'), 'ï', 'i'), 'ĩ', 'i'), 'ī', 'i'), 'ĭ', 'i'), 'į', 'i')) VIRTUAL,
	`description_fold_3` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("description_fold_2", 'ǐ', 'i'), 'Ì', 'i'), 'Í', 'i'), 'Î', 'i'), 'Ï', 'i'), 'Ĩ', 'i'), 'Ī', 'i'), 'Ĭ', 'i'), 'Į', 'i'), 'Ǐ', 'i'), 'ĵ', 'j'), 'Ĵ', 'j'), 'ķ', 'k'), 'Ķ', 'k'), 'ĺ', 'l'), 'ļ', 'l'), 'ľ', 'l'), 'ł', 'l'), 'Ĺ', 'l'), 'Ļ', 'l'), 'Ľ', 'l'), 'Ł', 'l'), 'ñ', 'n'), 'ń', 'n')) VIRTUAL,
	`description_fold_4` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("description_fold_3", 'ň', 'n'), 'ņ', 'n'), 'Ñ', 'n'), 'Ń', 'n'), 'Ň', 'n'), 'Ņ', 'n'), 'ò', 'o'), 'ó', 'o'), 'ô', 'o'), 'õ', 'o'), 'ö', 'o'), 'ø', 'o'), 'ō', 'o'), 'ŏ', 'o'), 'ő', 'o'), 'ǒ', 'o'), 'Ò', 'o'), 'Ó', 'o'), 'Ô', 'o'), 'Õ', 'o'), 'Ö', 'o'), 'Ø', 'o'), 'Ō', 'o'), 'Ŏ', 'o')) VIRTUAL,
	`description_fold_5` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("description_fold_4", 'Ő', 'o'), 'Ǒ', 'o'), 'ŕ', 'r'), 'ŗ', 'r'), 'ř', 'r'), 'Ŕ', 'r'), 'Ŗ', 'r'), 'Ř', 'r'), 'ś', 's'), 'ŝ', 's'), 'ş', 's'), 'š', 's'), 'ș', 's'), 'Ś', 's'), 'Ŝ', 's'), 'Ş', 's'), 'Š', 's'), 'Ș', 's'), 'ť', 't'), 'ţ', 't'), 'ț', 't'), 'Ť', 't'), 'Ţ', 't'), 'Ț', 't')) VIRTUAL,
	`description_fold_6` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("description_fold_5", 'ù', 'u'), 'ú', 'u'), 'û', 'u'), 'ü', 'u'), 'ũ', 'u'), 'ū', 'u'), 'ŭ', 'u'), 'ů', 'u'), 'ű', 'u'), 'ų', 'u'), 'ǔ', 'u'), 'Ù', 'u'), 'Ú', 'u'), 'Û', 'u'), 'Ü', 'u'), 'Ũ', 'u'), 'Ū', 'u'), 'Ŭ', 'u'), 'Ů', 'u'), 'Ű', 'u'), 'Ų', 'u'), 'Ǔ', 'u'), 'ŵ', 'w'), 'Ŵ', 'w')) VIRTUAL,
	`description_fold_7` text GENERATED ALWAYS AS (replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("description_fold_6", 'ý', 'y'), 'ÿ', 'y'), 'ŷ', 'y'), 'ỹ', 'y'), 'Ý', 'y'), 'Ÿ', 'y'), 'Ŷ', 'y'), 'Ỹ', 'y'), 'ź', 'z'), 'ż', 'z'), 'ž', 'z'), 'Ź', 'z'), 'Ż', 'z'), 'Ž', 'z'), 'Æ', 'æ'), 'Œ', 'œ'), 'Ð', 'ð'), 'Þ', 'þ'), '̀', ''), '́', ''), '̂', ''), '̃', ''), '̈', ''), '̌', '')) VIRTUAL,
	`description_folded` text GENERATED ALWAYS AS (replace("description_fold_7", '̧', '')) STORED,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	CONSTRAINT "categories_active" CHECK("categories"."active" in (0, 1))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `categories_name_unique` ON `categories` (`name`);--> statement-breakpoint
CREATE INDEX `categories_by_name` ON `categories` (`name_folded`,`id`);--> statement-breakpoint
CREATE INDEX `categories_by_active_and_name` ON `categories` (`active`,`name_folded`,`id`);--> statement-breakpoint
CREATE TABLE `changelogs` (
	`id` text PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`version_major` integer GENERATED ALWAYS AS (cast(substr("version", 2) as integer)) STORED,
	`version_minor` integer GENERATED ALWAYS AS (cast(substr("version", instr("version", '.') + 1) as integer)) STORED,
	`version_patch` integer GENERATED ALWAYS AS (cast(substr(substr("version", instr("version", '.') + 1), instr(substr("version", instr("version", '.') + 1), '.') + 1) as integer)) STORED,
	`date` text NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`category` text NOT NULL,
	`is_published` integer DEFAULT false NOT NULL,
	`git_commit_hash` text,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	CONSTRAINT "changelogs_version" CHECK("changelogs"."version" glob 'v[0-9]*.[0-9]*.[0-9]*'),
	CONSTRAINT "changelogs_date" CHECK("changelogs"."date" is date("changelogs"."date")),
	CONSTRAINT "changelogs_category" CHECK("category" in ('Nova Funcionalidade', 'Correção', 'Melhoria', 'Atualização')),
	CONSTRAINT "changelogs_is_published" CHECK("changelogs"."is_published" in (0, 1))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `changelogs_git_commit_hash_unique` ON `changelogs` (`git_commit_hash`);--> statement-breakpoint
CREATE INDEX `changelogs_in_order` ON `changelogs` (`date`,`version_major`,`version_minor`,`version_patch`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `changelogs_published_in_order` ON `changelogs` (`is_published`,`date`,`version_major`,`version_minor`,`version_patch`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `changelogs_by_version` ON `changelogs` (`version_major`,`version_minor`,`version_patch`);--> statement-breakpoint
CREATE TABLE `dioceses` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`state` text NOT NULL,
	`active` integer DEFAULT true NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	CONSTRAINT "dioceses_active" CHECK("dioceses"."active" in (0, 1)),
	CONSTRAINT "dioceses_state" CHECK("dioceses"."state" glob '[A-Z][A-Z]')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dioceses_name_unique` ON `dioceses` (`name`);--> statement-breakpoint
CREATE TABLE `groups` (
	`id` text PRIMARY KEY NOT NULL,
	`process_id` text NOT NULL,
	`name` text NOT NULL,
	`color` text NOT NULL,
	`description` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	FOREIGN KEY (`process_id`) REFERENCES `processes`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "groups_color" CHECK("groups"."color" glob '#*' and length("groups"."color") = 7)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `groups_of_a_process` ON `groups` (`process_id`,`name`);--> statement-breakpoint
CREATE TABLE `imported_commits` (
	`hash` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `informer_completions` (
	`informer_id` text NOT NULL,
	`questionnaire_id` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	PRIMARY KEY(`informer_id`, `questionnaire_id`),
	FOREIGN KEY (`informer_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`questionnaire_id`) REFERENCES `questionnaires`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `informer_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`informer_id` text NOT NULL,
	`group_id` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	FOREIGN KEY (`informer_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `informer_groups_in_order` ON `informer_groups` (`informer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `informer_groups_once` ON `informer_groups` (`informer_id`,`group_id`);--> statement-breakpoint
CREATE TABLE `processes` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`protocol` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `processes_protocol_unique` ON `processes` (`protocol`);--> statement-breakpoint
CREATE TABLE `questionnaires` (
	`id` text PRIMARY KEY NOT NULL,
	`group_id` text NOT NULL,
	`title` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `questionnaires_of_a_group` ON `questionnaires` (`group_id`,`title`);--> statement-breakpoint
CREATE TABLE `read_histories` (
	`source` text PRIMARY KEY NOT NULL,
	`newest` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `roles` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`description` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `roles_name_unique` ON `roles` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `roles_slug_unique` ON `roles` (`slug`);--> statement-breakpoint
CREATE TABLE `treatment_pronouns` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`active` integer DEFAULT true NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	CONSTRAINT "treatment_pronouns_active" CHECK("treatment_pronouns"."active" in (0, 1))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `treatment_pronouns_name_unique` ON `treatment_pronouns` (`name`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`role_id` integer NOT NULL,
	`first_name` text NOT NULL,
	`last_name` text,
	`initials` text NOT NULL,
	`email` text,
	`email_verification_required` integer DEFAULT false NOT NULL,
	`email_verified_at` text,
	`password_hash` text,
	`cpf` text,
	`phone` text,
	`img_url` text,
	`treatment_pronoun_id` integer,
	`category_id` integer,
	`diocese_id` integer,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	FOREIGN KEY (`role_id`) REFERENCES `roles`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`treatment_pronoun_id`) REFERENCES `treatment_pronouns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`category_id`) REFERENCES `categories`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`diocese_id`) REFERENCES `dioceses`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "users_first_name" CHECK(length("users"."first_name") > 0),
	CONSTRAINT "users_email" CHECK("users"."email" = lower("users"."email")),
	CONSTRAINT "users_cpf" CHECK(length("users"."cpf") = 11 and "users"."cpf" not glob '*[^0-9]*'),
	CONSTRAINT "users_email_verification_required" CHECK("users"."email_verification_required" in (0, 1))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_cpf_unique` ON `users` (`cpf`);