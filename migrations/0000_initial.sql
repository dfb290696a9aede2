CREATE TABLE `api_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`expires_on` text NOT NULL,
	`last_used_on` text,
	FOREIGN KEY (`created_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "api_tokens_expires_on" CHECK("api_tokens"."expires_on" is date("api_tokens"."expires_on"))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_token_hash_unique` ON `api_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `api_tokens_in_order` ON `api_tokens` ("created_at" desc,`id`);--> statement-breakpoint
CREATE INDEX `api_tokens_by_user` ON `api_tokens` (`created_by`);--> statement-breakpoint
CREATE INDEX `api_tokens_by_expiry` ON `api_tokens` (`expires_on`);--> statement-breakpoint
CREATE TABLE `audit_events` (
	`id` text PRIMARY KEY DEFAULT (lower(
  hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' ||
  substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))) NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`actor_id` text NOT NULL,
	`action` text NOT NULL,
	`subject_type` text NOT NULL,
	`subject_id` text,
	`related_type` text,
	`related_id` text,
	`api_token_id` text,
	`request_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_events_by_request` ON `audit_events` (`request_id`,`action`,`subject_id`);--> statement-breakpoint
CREATE INDEX `audit_events_by_time` ON `audit_events` (`created_at`,`id`,`action`,`subject_type`);--> statement-breakpoint
CREATE INDEX `audit_events_by_actor` ON `audit_events` (`actor_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_events_by_subject` ON `audit_events` (`subject_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_events_by_related` ON `audit_events` (`related_id`,`created_at`,`id`) WHERE "audit_events"."related_id" is not null;--> statement-breakpoint
CREATE INDEX `audit_events_by_api_token` ON `audit_events` (`api_token_id`,`created_at`,`id`) WHERE "audit_events"."api_token_id" is not null;--> statement-breakpoint
CREATE TABLE `categories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`name_folded` text NOT NULL,
	`active` integer DEFAULT true NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`description` text NOT NULL,
	CONSTRAINT "categories_active" CHECK("categories"."active" in (0, 1))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `categories_by_name` ON `categories` (`name_folded`);--> statement-breakpoint
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
CREATE INDEX `changelogs_by_category` ON `changelogs` (`category`,`date`,`version_major`,`version_minor`,`version_patch`,`created_at`,`id`,`is_published`);--> statement-breakpoint
CREATE TABLE `dioceses` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`name_folded` text NOT NULL,
	`active` integer DEFAULT true NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`state` text NOT NULL,
	CONSTRAINT "dioceses_active" CHECK("dioceses"."active" in (0, 1)),
	CONSTRAINT "dioceses_state" CHECK("dioceses"."state" glob '[A-Z][A-Z]')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dioceses_by_name` ON `dioceses` (`state`,`name_folded`);--> statement-breakpoint
CREATE TABLE `email_outbox` (
	`email` text NOT NULL,
	`kind` text NOT NULL,
	`user_id` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	PRIMARY KEY(`email`, `kind`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `email_outbox_links_by_time` ON `email_outbox` (`due_at`) WHERE "email_outbox"."user_id" is null;--> statement-breakpoint
CREATE INDEX `email_outbox_notices_by_time` ON `email_outbox` (`due_at`) WHERE "email_outbox"."user_id" is not null;--> statement-breakpoint
CREATE INDEX `email_outbox_by_user` ON `email_outbox` (`user_id`) WHERE "email_outbox"."user_id" is not null;--> statement-breakpoint
CREATE TABLE `email_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`expires_at` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "email_tokens_kind" CHECK("kind" in ('verification', 'password_reset'))
);
--> statement-breakpoint
CREATE INDEX `email_tokens_by_user` ON `email_tokens` (`user_id`,`kind`);--> statement-breakpoint
CREATE INDEX `email_tokens_by_time` ON `email_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `failed_logins` (
	`id` text PRIMARY KEY NOT NULL,
	`identifier` text NOT NULL,
	`address` text NOT NULL,
	`failed_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL
);
--> statement-breakpoint
CREATE INDEX `failed_logins_by_identifier` ON `failed_logins` (`identifier`,`failed_at`,`address`);--> statement-breakpoint
CREATE INDEX `failed_logins_by_time` ON `failed_logins` (`failed_at`);--> statement-breakpoint
CREATE TABLE `groups` (
	`id` text PRIMARY KEY NOT NULL,
	`process_id` text NOT NULL,
	`name` text NOT NULL,
	`name_folded` text NOT NULL,
	`color` text NOT NULL,
	`description` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	FOREIGN KEY (`process_id`) REFERENCES `processes`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "groups_color" CHECK("groups"."color" glob '#*' and length("groups"."color") = 7)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `groups_of_a_process` ON `groups` (`process_id`,`name_folded`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`key_hash` text PRIMARY KEY NOT NULL,
	`content_hash` text NOT NULL,
	`created_id` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_time` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
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
CREATE INDEX `informer_completions_by_questionnaire` ON `informer_completions` (`questionnaire_id`);--> statement-breakpoint
CREATE TABLE `informer_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`informer_id` text NOT NULL,
	`group_id` text NOT NULL,
	`process_id` text NOT NULL,
	`name_folded` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	FOREIGN KEY (`informer_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`process_id`) REFERENCES `processes`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `informer_groups_by_group` ON `informer_groups` (`group_id`,`name_folded`,`informer_id`);--> statement-breakpoint
CREATE INDEX `informer_groups_by_process` ON `informer_groups` (`process_id`,`name_folded`,`informer_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `informer_groups_once` ON `informer_groups` (`informer_id`,`group_id`);--> statement-breakpoint
CREATE TABLE `known_addresses` (
	`identifier` text NOT NULL,
	`address` text NOT NULL,
	`last_login_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	PRIMARY KEY(`identifier`, `address`)
);
--> statement-breakpoint
CREATE INDEX `known_addresses_by_time` ON `known_addresses` (`last_login_at`);--> statement-breakpoint
CREATE TABLE `processes` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`name_folded` text NOT NULL,
	`protocol` text NOT NULL,
	`protocol_folded` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `processes_protocol_folded_unique` ON `processes` (`protocol_folded`);--> statement-breakpoint
CREATE TABLE `questionnaires` (
	`id` text PRIMARY KEY NOT NULL,
	`group_id` text NOT NULL,
	`title` text NOT NULL,
	`title_folded` text NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `questionnaires_of_a_group` ON `questionnaires` (`group_id`,`title_folded`);--> statement-breakpoint
CREATE TABLE `roles` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`description` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `roles_name_unique` ON `roles` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `roles_slug_unique` ON `roles` (`slug`);--> statement-breakpoint
CREATE TABLE `sent_emails` (
	`email_hash` text NOT NULL,
	`kind` text NOT NULL,
	`sent_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sent_emails_by_email` ON `sent_emails` (`email_hash`,`kind`,`sent_at`);--> statement-breakpoint
CREATE INDEX `sent_emails_by_time` ON `sent_emails` (`sent_at`);--> statement-breakpoint
CREATE TABLE `sync_cursors` (
	`source` text PRIMARY KEY NOT NULL,
	`head` text NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE `treatment_pronouns` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`name_folded` text NOT NULL,
	`active` integer DEFAULT true NOT NULL,
	`created_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`updated_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	`description` text NOT NULL,
	CONSTRAINT "treatment_pronouns_active" CHECK("treatment_pronouns"."active" in (0, 1))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `treatment_pronouns_by_name` ON `treatment_pronouns` (`name_folded`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`role_id` integer NOT NULL,
	`first_name` text NOT NULL,
	`last_name` text,
	`name_folded` text NOT NULL,
	`initials` text NOT NULL,
	`email` text,
	`email_verification_required` integer DEFAULT false NOT NULL,
	`email_verified_at` text,
	`password_hash` text,
	`password_by_link` integer DEFAULT false NOT NULL,
	`token_version` integer DEFAULT 1 NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`second_factor_secret` text,
	`second_factor_created_at` text,
	`second_factor_enabled_at` text,
	`second_factor_step` integer,
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
	CONSTRAINT "users_email_verification_required" CHECK("users"."email_verification_required" in (0, 1)),
	CONSTRAINT "users_password_by_link" CHECK("users"."password_by_link" in (0, 1))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_cpf_unique` ON `users` (`cpf`);--> statement-breakpoint
CREATE INDEX `users_by_name` ON `users` (`role_id`,`name_folded`,`id`,`email`,`cpf`);--> statement-breakpoint
CREATE INDEX `users_by_treatment_pronoun` ON `users` (`treatment_pronoun_id`,`role_id`,`name_folded`,`id`) WHERE "users"."treatment_pronoun_id" is not null;--> statement-breakpoint
CREATE INDEX `users_by_category` ON `users` (`category_id`,`role_id`,`name_folded`,`id`) WHERE "users"."category_id" is not null;--> statement-breakpoint
CREATE INDEX `users_by_diocese` ON `users` (`diocese_id`,`role_id`,`name_folded`,`id`) WHERE "users"."diocese_id" is not null;--> statement-breakpoint
CREATE TABLE `wrong_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`entered_at` text DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z') NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `wrong_codes_by_user` ON `wrong_codes` (`user_id`,`entered_at`);--> statement-breakpoint
CREATE INDEX `wrong_codes_by_time` ON `wrong_codes` (`entered_at`);
--> statement-breakpoint
-- Written by hand: what the schema of drizzle cannot say.

-- The two kinds of user are part of the service (src/domain/roles.ts), not data of an office.
INSERT INTO `roles` (`id`, `name`, `slug`, `description`) VALUES
  (1, 'Informante', 'informer', 'Pessoa consultada em segredo sobre a provisão de uma sede.'),
  (2, 'Administrador', 'administrator', 'Pessoa que cadastra informantes e cuida do serviço.');
--> statement-breakpoint
-- The index of the pairs of a group or process has the names of their informers.
CREATE TRIGGER `users_renamed` AFTER UPDATE OF `name_folded` ON `users`
WHEN old.`name_folded` IS NOT new.`name_folded`
BEGIN
	UPDATE `informer_groups` SET `name_folded` = new.`name_folded` WHERE `informer_id` = new.`id`;
END;
