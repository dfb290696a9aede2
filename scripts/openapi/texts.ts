/** What is said of the whole. */
export const DESCRIPTION =
  'Consulta sigilosa de informantes na provisão de uma sede. Todas as respostas são JSON.\n\n' +
  'Um texto enviado é aparado e normalizado (NFC) antes de ser validado: os limites valem para o que resta, ' +
  'em pontos de código. Senha e CPF valem como enviados.'

/** What is said of each header of an answer, with an example. */
export const HEADERS: Record<string, { description: string; example: string }> = {
  'X-Request-Id': {
    description: 'O identificador do pedido, como está no registro do serviço.',
    example: '3f6303d7-ba33-429f-968e-be417f712126',
  },
  'x-d1-bookmark': {
    description:
      'O estado do banco de dados que a resposta viu; enviado de volta, o próximo pedido vê pelo menos este.',
    example: '00000001-00000000-00004f2c-0123456789abcdef',
  },
  'Server-Timing': {
    description: 'Quanto tempo levou.',
    example: 'db;dur=3;desc="1 round trips", total;dur=4',
  },
  ETag: { description: 'Para If-None-Match.', example: '"kX9v4mJ8z1"' },
  'Cache-Control': {
    description: 'Quem pode guardar a resposta, e por quanto tempo; senão `no-store`.',
    example: 'public, max-age=60',
  },
  'WWW-Authenticate': { description: 'RFC 6750.', example: 'Bearer' },
  Allow: { description: 'Os métodos do caminho.', example: 'GET, HEAD' },
  'Retry-After': { description: 'Em quantos segundos tentar de novo.', example: '5' },
}

/** What is said of each status that refuses. */
export const TITLES: Record<number, string> = {
  400: 'O corpo não é um objeto JSON.',
  401: 'Sem token ou com token inválido, ou credenciais inválidas.',
  403: 'Sem permissão.',
  404: 'Não encontrado.',
  405: 'Outro método que os do caminho.',
  413: 'O corpo é grande demais.',
  415: 'O corpo não é application/json.',
  429: 'Tentativas demais.',
  500: 'Um erro do serviço.',
  502: 'O repositório git não respondeu.',
  503: 'O banco de dados não responde agora.',
}

/** What is said of each parameter of a query. */
export const QUERY: Record<string, { description: string; example?: string }> = {
  search: {
    description: 'Parte do nome ou da descrição, sem distinção de maiúsculas e acentos.',
    example: 'conego',
  },
  page: { description: 'O número da página.' },
  per_page: { description: 'Itens por página.' },
  active: { description: 'Só as ativas, ou só as inativas.' },
  category: { description: 'Só os registros desta categoria.', example: 'Melhoria' },
  version: { description: 'Só os registros desta versão.', example: 'v1.2.0' },
  is_published: { description: 'Só os publicados, ou só os rascunhos (administradores).' },
  date_from: { description: 'A partir desta data, inclusive.' },
  date_to: { description: 'Até esta data, inclusive.' },
}
