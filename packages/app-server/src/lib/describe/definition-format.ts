export const definitionFormats = ['yaml', 'ts'] as const

/** What definitions are written as. */
export type DefinitionFormat = (typeof definitionFormats)[number]
