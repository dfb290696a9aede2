-- Whoever gets another email has yet to verify it: what the former address was sent, and a password that its owner may
-- have set, count no more. A trigger, so that no way of changing an email passes it by.
CREATE TRIGGER `users_email_changed` AFTER UPDATE OF `email` ON `users`
WHEN old.`email` IS NOT new.`email` AND new.`email_verification_required`
BEGIN
	UPDATE `email_verifications` SET `used_by` = 'changed email' WHERE `user_id` = new.`id`;
	UPDATE `users`
	SET `email_verified_at` = NULL, `password_hash` = iif(new.`password_hash` IS old.`password_hash`, NULL, new.`password_hash`)
	WHERE `id` = new.`id`;
	INSERT INTO `pending_mails` (`user_id`) SELECT new.`id` WHERE new.`email` IS NOT NULL
	ON CONFLICT (`user_id`) DO UPDATE SET `attempts` = 0, `due_at` = excluded.`due_at`;
END;
