/** How a value is entered. */
export type ParameterKind =
  | { readonly kind: 'yesNo' }
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'text' }

export type KnownParameter = ParameterKind & {
  readonly code: string
  /** Holds while there is no record. */
  readonly standard: string
  /** Written by the server alone. */
  readonly isFixed?: boolean
}

/** The system parameters that `app-server` knows. Source: docs/operations.md, "System parameters" and "Limits". */
export const knownParameters: readonly KnownParameter[] = [
  { code: 'USE_API_TESTER', kind: 'yesNo', standard: 'yes' },
  { code: 'USE_RECORDS_PAGES', kind: 'yesNo', standard: 'yes' },
  { code: 'USE_WEBSERVICES_OBJECTPOOL', kind: 'yesNo', standard: 'no' },
  { code: 'WEBSERVICES_OBJECTPOOL_MAXPEROBJECT', kind: 'number', min: 1, max: 1000, standard: '10' },
  { code: 'WEBSERVICES_OBJECTPOOL_MAXTOTAL', kind: 'number', min: 1, max: 10_000, standard: '50' },
  { code: 'STEWARD_SETUP', kind: 'text', standard: '', isFixed: true },
]

/** How the application's own parameters are entered, by `sys_type`, which has no fixed values. */
export function kindOfType(type: string): ParameterKind['kind'] {
  if (/^(?:bool|yes)/i.test(type)) return 'yesNo'
  return /^(?:int|num)/i.test(type) ? 'number' : 'text'
}
