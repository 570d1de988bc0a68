/** How much of the contract of stores is generated: `npm run test:deep` looks for what is rare. */
export const contractSize = { filters: process.env['TEST_DEEP'] === '1' ? 1_000 : 75 }
