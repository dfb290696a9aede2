ALTER TABLE `users` ADD `password_by_link` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- Who came in by a link before this was noted cannot be told from who did not.
UPDATE `users` SET `password_by_link` = true WHERE `password_hash` IS NOT NULL AND `email_verified_at` IS NOT NULL;
--> statement-breakpoint
DROP TRIGGER `users_email_changed`;
--> statement-breakpoint
-- Whoever reads the former email's mail is out: its links, the access tokens, and a password that came by a link. A
-- password that an administrator gave stays. A trigger, so that it holds for every way of changing an email.
CREATE TRIGGER `users_email_changed` AFTER UPDATE OF `email` ON `users`
WHEN old.`email` IS NOT new.`email`
BEGIN
	DELETE FROM `email_tokens` WHERE `user_id` = new.`id`;
	DELETE FROM `email_outbox` WHERE `email` = old.`email`;
	UPDATE `users`
	SET `email_verified_at` = NULL, `token_version` = `token_version` + 1, `password_by_link` = false,
		`password_hash` = iif(old.`password_by_link` AND new.`password_hash` IS old.`password_hash`, NULL, new.`password_hash`)
	WHERE `id` = new.`id`;
	INSERT INTO `email_outbox` (`email`, `kind`)
	SELECT new.`email`, 'verification' WHERE new.`email` IS NOT NULL AND new.`email_verification_required`
	ON CONFLICT (`email`, `kind`) DO UPDATE
	SET `attempts` = 0, `due_at` = min(`due_at`, strftime('%Y-%m-%dT%H:%M:%f', 'now', '6 minutes') || '000Z');
END;
