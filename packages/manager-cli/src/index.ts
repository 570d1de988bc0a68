export { main } from './main.js'
export type { MainOptions } from './main.js'
export type { Signals, Surroundings } from './lib/surroundings.js'
