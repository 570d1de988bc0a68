/** The command line. Resolves with the exit code. @param args without the program's name */
export async function main(_args: readonly string[]): Promise<number> {
  throw new Error('Not there yet')
}
