/** Whether a variable holds a secret, judged by its name; a misspelt password is one, too. */
export function isSecretName(name: string): boolean {
  return /PAS+W|PSW|PWD|PASSPHRASE|SECRET|TOKEN|CREDENTIAL|(^|_)KEY($|_)|APIKEY/i.test(name)
}

/** A text that may hold addresses: `https://user:password@host` is `https://***@host`. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/(:\/\/)[^/\s]*@/g, '$1***@')
}
