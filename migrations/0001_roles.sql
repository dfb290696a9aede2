-- The two kinds of user are part of the service (src/domain/roles.ts), not data of an office.
INSERT INTO `roles` (`id`, `name`, `slug`, `description`) VALUES
  (1, 'Informante', 'informer', 'Pessoa consultada em segredo sobre a provisão de uma sede.'),
  (2, 'Administrador', 'administrator', 'Pessoa que cadastra informantes e cuida do serviço.');
