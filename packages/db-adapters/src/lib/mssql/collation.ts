/** For the text columns that `sync` makes: the order of UTF-16, and nothing is like anything else. */
export const byCodePoint = 'Latin1_General_100_BIN2'
