const ATOM = "[\\w!#$%&'*+/=?^`{|}~-]+"
const LABEL = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?'
const TOP_LEVEL = `(?:[a-z]{2,63}|(?=xn--)${LABEL})`

/**
 * An email address: a dot-atom of at most 64 characters (RFC 5322, 3.2.3; RFC 5321, 4.5.3.1), and a
 * domain of labels of at most 63 (RFC 1035, 2.3.4), the last one of letters only or in Punycode
 * (RFC 5890, 2.3.2.1).
 */
export const EMAIL_ADDRESS = new RegExp(
  `^(?=.{1,64}@)${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+${TOP_LEVEL}$`,
  'i',
)
