/** What the journal, facts and results are made of. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }
