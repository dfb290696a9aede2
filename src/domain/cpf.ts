/**
 * Returns whether eleven ASCII digits are a valid CPF: not all equal, and with the check digits of
 * the Receita Federal.
 */
export function isCpf(digits: string): boolean {
  if (/^(\d)\1{10}$/.test(digits)) return false
  return digits.endsWith(checkDigit(digits.slice(0, 9)) + checkDigit(digits.slice(0, 10)))
}

/** The weighted sum modulo 11; a remainder below 2 gives 0. */
function checkDigit(digits: string): string {
  const sum = [...digits].reduce(
    (total, digit, index) => total + Number(digit) * (digits.length + 1 - index),
    0,
  )
  const remainder = sum % 11
  return String(remainder < 2 ? 0 : 11 - remainder)
}
