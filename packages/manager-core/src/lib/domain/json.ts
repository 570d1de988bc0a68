/** Values of the journal, facts and results. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }
