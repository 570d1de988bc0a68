/** What an action is given under one name; undefined: nothing. */
export type Input = string | number | boolean | readonly string[] | undefined
