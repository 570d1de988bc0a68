const largestSigned = 2n ** 63n - 1n
const smallest = -(2n ** 63n)
const digits = /^(?:-?[1-9]\d{0,18}|1\d{19})$/

/** Whether the text is an integer of 64 bits in the one form in which row ids are answered: no sign `+`, no leading zeros. */
export function isIntegerId(text: string, largest = largestSigned): boolean {
  if (text.length <= 15) {
    const number = Number(text)
    return Number.isInteger(number) && String(number) === text
  }
  if (!digits.test(text)) return false
  const id = BigInt(text)
  return id >= smallest && id <= largest
}
