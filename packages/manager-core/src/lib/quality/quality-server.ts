import type { Instance } from '../domain/instance.js'
import type { Secret } from '../domain/secret.js'

/** A part of an application that is analysed by itself: a folder with objects or code. */
export interface QualityModule {
  readonly name: string
  /** Below the folder of the application. */
  readonly files: readonly string[]
}

/** What is analysed: the application of an instance as it is on the disk. */
export interface AnalysedApplication {
  readonly instance: Pick<Instance, 'id' | 'name'>
  /** Absolute. */
  readonly folder: string
  /** What the application server's lint found in all modules; never sent anywhere by itself. */
  readonly findings: readonly QualityIssue[]
}

/** What an analysis needs while it runs. */
export interface AnalysisOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((text: string) => void) | undefined
}

/** `ERROR`: the gate failed; `WARN`: it passed, and there is something to look at; `NONE`: there is no gate. */
export type QualityGate = 'OK' | 'WARN' | 'ERROR' | 'NONE'

export type QualitySeverity = 'error' | 'warning' | 'info'

export type QualityIssue = {
  /** Name of the rule, e.g. `unused-field`, `TS2322`, `typescript:S1854`. */
  readonly rule: string
  readonly severity: QualitySeverity
  readonly message: string
  readonly module: string
  /** Below the folder of the application; absent: it is not about a file. */
  readonly file?: string
  /** Starts at 1, as does the column. */
  readonly line?: number
  readonly column?: number
}

/** What was found in one module. */
export type ModuleReport = {
  readonly module: string
  /** Key of the project at the server. */
  readonly project?: string
  /** Page of the analysis at the server. */
  readonly url?: string
  readonly gate: QualityGate
  /** Numbers by name, e.g. `coverage` in percent. */
  readonly measures: Readonly<Record<string, number>>
  readonly issues: readonly QualityIssue[]
}

/** What can be learned about a server without analysing anything. */
export interface QualityProbe {
  /** One sentence: what answered, and its version. */
  readonly message: string
}

/** Something that analyses code: this machine, or a server. */
export interface QualityServer {
  /** Stable name: `local`, `sonarqube`. */
  readonly name: string
  /** @throws ManagerError when it cannot be reached, or refuses the credentials */
  probe(signal?: AbortSignal): Promise<QualityProbe>
  /**
   * Analyses modules, one after the other, and waits for the results.
   *
   * @returns a report per module in their order, and in `notes` what could not be looked at and why
   * @throws ManagerError
   */
  analyse(
    application: AnalysedApplication,
    modules: readonly QualityModule[],
    options: AnalysisOptions,
  ): Promise<{ readonly reports: readonly ModuleReport[]; readonly notes: readonly string[] }>
}

/** What a package exports as `qualityServer`, for `APPS_QUALITY_SERVER=<package>`. */
export interface QualityServerPlugin {
  /** No I/O. @throws Error that names the setting that is missing or wrong */
  open(options: QualityServerOptions): QualityServer
}

/** The settings of an instance, else of the manager. */
export interface QualityServerOptions {
  /** Prefix for the keys of projects. */
  readonly project: string
  /** How long each part of an analysis may take. */
  readonly timeoutMs: number
  readonly url?: string | undefined
  /** A login, or a token when there is no password. */
  readonly login?: Secret | undefined
  readonly password?: Secret | undefined
  readonly organization?: string | undefined
}
