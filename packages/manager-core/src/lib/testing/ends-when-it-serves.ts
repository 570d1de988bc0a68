/**
 * Code of an application that ends when it is to serve. Who only looks at its model has it, or changes its database,
 * however slow the machine is.
 *
 * @param ms after it was loaded
 */
export function endsWhenItServes(ms: number): string {
  return `if (!/ --(describe|check|plan|sync)/.test(process.argv.join(' '))) setTimeout(() => process.exit(1), ${ms})`
}
