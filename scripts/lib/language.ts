const english = {
  cannot: (verb: string) => `Cannot ${verb}`,
  missing: (names: string) => `Missing: ${names}`,
  unexpected: (words: string) => `Unexpected: ${words}`,
  /** Node's messages about options are in English. */
  invalidOption: (sentence: string) => sentence,
  noLogin: 'Missing: --login EMAIL, or ACCESS_TOKEN in the environment',
  noUrl: (url: string) => `Not an address: ${url}`,
  urlWithPassword: 'The address may not have a user name or a password in it.',
  noToken: 'ACCESS_TOKEN is not an access token.',
  notEncrypted: (url: string) =>
    `${url} is not encrypted. Use https:, or --insecure in a network that you trust.`,
  password: 'Password',
  code: 'Code of the second factor',
  codeOfInput: 'Without a terminal the code is the second line of the input.',
  progress: (done: number, total: number) => `${done} of ${total}`,
  /** @param reason the system's, in English */
  connectionFailed: (_code: string, reason: string) => reason,
  redirects: (location: string) => `redirects to ${location}, which is not followed.`,
  missingScope: (scope: string) => `The API token lacks the scope ${scope}.`,
  notThisService: 'not a response of this service',
  tokenEnded: 'The session has ended, or the token is not valid. Log in again.',
  apiTokenEnded:
    'The API token was deleted, has expired or is not valid. Make a new one.',
  repeatable: 'What was done so far stays, and the command may be repeated safely.',
  /** A text of the service, which is in Portuguese. */
  quoted: (text: string) => `"${text}"`,
}

const CONNECTION_FAILURES: [codes: RegExp, reason: string][] = [
  [/REFUSED/, 'a conexão foi recusada'],
  [/ENOTFOUND|EAI_AGAIN/, 'o endereço não foi encontrado'],
  [/time_?d?out/i, 'o serviço não respondeu a tempo'],
  [/CERT|TLS|SSL|SIGN/, 'a conexão segura falhou'],
]

const portuguese: typeof english = {
  cannot: (verb) => `Não foi possível ${verb}`,
  missing: (names) => `Falta: ${names}`,
  unexpected: (words) => `Sobra: ${words}`,
  invalidOption: (sentence) =>
    `Opção inválida: ${/'(.+?)'/.exec(sentence)?.[1] ?? sentence}`,
  noLogin: 'Falta: --login EMAIL, ou ACCESS_TOKEN no ambiente',
  noUrl: (url) => `Não é um endereço: ${url}`,
  urlWithPassword: 'O endereço não pode ter nome de usuário nem senha.',
  noToken: 'ACCESS_TOKEN não é um token de acesso.',
  notEncrypted: (url) =>
    `${url} não é criptografado. Use https:, ou --insecure em uma rede de confiança.`,
  password: 'Senha',
  code: 'Código do segundo fator',
  codeOfInput: 'Sem um terminal, o código é a segunda linha da entrada.',
  progress: (done, total) => `${done} de ${total}`,
  connectionFailed: (code) => {
    const [, reason] = CONNECTION_FAILURES.find(([codes]) => codes.test(code)) ?? []
    return `${reason ?? 'a conexão caiu'} (${code})`
  },
  redirects: (location) =>
    `redireciona para ${location}; o comando não segue redirecionamentos.`,
  missingScope: (scope) => `Falta ao token de API o escopo ${scope}.`,
  notThisService: 'não é uma resposta deste serviço',
  tokenEnded: 'A sessão terminou, ou o token é inválido. Entre de novo.',
  apiTokenEnded: 'O token de API foi excluído, venceu ou é inválido. Crie outro.',
  repeatable: 'O que já foi feito permanece, e o comando pode ser repetido sem risco.',
  quoted: (text) => text,
}

/** The texts that commands share: in English for developers, in Portuguese for the office. */
export let texts = english

/** Sets the language of the running command. */
export function speak(language: 'en' | 'pt'): void {
  texts = language === 'pt' ? portuguese : english
}
