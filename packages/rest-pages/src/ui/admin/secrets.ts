/** Without those that look alike: `0 O 1 l I`. */
const letters = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A password that cannot be guessed: 20 characters, about 116 bits. */
export function randomPassword(): string {
  const password: string[] = []
  // Bytes beyond the last whole round would make some letters likelier.
  const limit = 256 - (256 % letters.length)
  while (password.length < 20)
    for (const byte of crypto.getRandomValues(new Uint8Array(32)))
      if (byte < limit && password.length < 20) password.push(letters[byte % letters.length] as string)
  return password.join('')
}

/** A secret of a webhook, as Standard Webhooks writes it: 32 bytes. */
export function webhookSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`
}
