/** Texts of the product's language. */
export interface ProductWords {
  /** A good snippet: each answer has the header `X-Snippet: yes`. */
  readonly header: string
  /** A line that is wrong. */
  readonly wrong: string
  /** Ends the block that snippets are in. */
  readonly breakOut: string
  /** A line for the main file that is good, and one that is wrong. */
  readonly comment: string
  /** A server of another configuration for a host. */
  other(host: string, port: number): string
}
