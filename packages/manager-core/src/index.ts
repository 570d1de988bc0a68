export type { ProcessInfo } from './lib/system/process-table.js'
export { answerOf } from './lib/actions/answer-of.js'
export type { Input } from './lib/domain/input.js'
export type { Caller, OperationEvent, StepTitle } from './lib/domain/caller.js'
export { accountAt, type SystemAccount } from './lib/accounts/account.js'
export { withParts, type Ability } from './lib/domain/ability.js'
export { fullGrant, storedGrant } from './lib/domain/grant.js'
export type { Grant, Scope, ScopeOfInstances, StoredGrant } from './lib/domain/grant.js'
export { createRefusals } from './lib/history/refusals.js'
export { ensureSecretFile, readSecretFile } from './lib/files/secret-file.js'
export { whyNot } from './lib/access/scope.js'
export { createSessions } from './lib/access/sessions.js'
export type {
  CheckedCredential,
  OpenedSession,
  Session,
  Sessions,
  SessionsContext,
  SignedIn,
} from './lib/access/sessions.js'
export { createTokens, grantOf, isTokenText } from './lib/access/tokens.js'
export type { Token } from './lib/access/tokens.js'
export { createManager } from './lib/manager.js'
export type { WireAction, WireInput } from './lib/actions/action-table.js'
export type { WireHealth } from './lib/actions/application.js'
export type { WireDatabase, WireTable } from './lib/actions/database-info.js'
export type { WireHistoryEntry } from './lib/actions/history.js'
export type { ScheduledJob } from './lib/actions/schedule.js'
export type { WireTarget } from './lib/actions/targets.js'
export type { WireToken } from './lib/actions/tokens.js'
export type { TrashItem } from './lib/actions/trash.js'
export type { WireVersion } from './lib/actions/versions.js'
export type { WhoAmI } from './lib/actions/whoami.js'
export type {
  AnalysedApplication,
  AnalysisOptions,
  ModuleReport,
  QualityGate,
  QualityIssue,
  QualityModule,
  QualityProbe,
  QualityServer,
  QualityServerOptions,
  QualityServerPlugin,
  QualitySeverity,
} from './lib/quality/quality-server.js'
export type { QualityReport } from './lib/quality/report.js'
export type { AccessSummary } from './lib/access-logs/summarise.js'
export type { WireBackup } from './lib/backup/wire-backup.js'
export type { WireIncident } from './lib/domain/incident.js'
export type { MonitoredInstance, WireSample } from './lib/domain/sample.js'
export type { ListedInstance, ShownInstance } from './lib/overview/overview.js'
export type { OperationItem } from './lib/runs/operation-item.js'
export type { Manager, ManagerOptions } from './lib/manager.js'
export { actions, findAction } from './lib/actions/index.js'
export type {
  Action,
  ActionCall,
  ActionGroup,
  ActionResult,
  InputType,
  Option,
  Parameter,
  Program,
  Surface,
  View,
} from './lib/action.js'
export { failureAnswerOf } from './lib/runs/answer.js'
export type { Answer } from './lib/runs/answer.js'
export type { ManagerContext } from './lib/context.js'
export { createTerminals } from './lib/terminal/create-terminals.js'
export type { Terminal, Terminals } from './lib/terminal/create-terminals.js'
export { startMonitoring } from './lib/monitoring/start-monitoring.js'
export type { Monitoring, MonitoringOptions } from './lib/monitoring/start-monitoring.js'
export { readServerTls, speaksHttps, stampOfServerTls } from './lib/certificates/server-tls.js'
export type { ServerTls } from './lib/certificates/server-tls.js'
export { startRenewals } from './lib/certificates/start-renewals.js'
export type { Renewals, RenewalsOptions } from './lib/certificates/start-renewals.js'
export { answerOfChallenge, challengePath } from './lib/certificates/challenges.js'
export type { CertificateFiles, Certificates } from './lib/certificates/create-certificates.js'
export { didYouMean } from './lib/domain/near-miss.js'
export type { Json } from './lib/domain/json.js'
export { countText, durationText, sizeText } from './lib/domain/readable.js'
export { databaseTypes, isThrowAway } from './lib/domain/instance.js'
export type { DatabaseType, Desired, Instance, Observed } from './lib/domain/instance.js'
export { Secret } from './lib/domain/secret.js'
export type { JournalPoint, PlannedOperation } from './lib/operation/operation.js'
export { checkOpen, confirmRequest, register, requestOfLink } from './lib/requests/register.js'
export type { Registration, RegistrationFault, RegistrationFaults } from './lib/requests/register.js'
export { passwordLinkOf, renewPasswordLink, setPasswordByLink } from './lib/requests/password-links.js'
export type { PasswordLink, PasswordOutcome } from './lib/requests/password-links.js'
export type { PasswordRefusal } from './lib/requests/first-password.js'
export { requestLanguages } from './lib/domain/request.js'
export type { InstanceRequest, RequestLanguage } from './lib/domain/request.js'
export type {
  Copy,
  ExitInfo,
  InstanceRef,
  InstanceSpec,
  LogOptions,
  Observation,
  Runtime,
  RuntimeCapabilities,
  StartOptions,
  StopOptions,
  Usage,
} from './lib/runtime/runtime.js'
export type { TomcatDataSource, TomcatSpec } from './lib/runtime/tomcat/tomcat-spec.js'
export type { RuntimeItem } from './lib/actions/runtimes.js'
export type { RuntimeParts, RuntimeRow as RuntimePlugin } from './lib/runtime/built-in.js'
export { proxyHeaders } from './lib/proxies/proxy-headers.js'
export type { DatabaseServerParts, DatabaseServerPlugin } from './lib/databases/create-databases.js'
export type { ReverseProxy, ReverseProxyParts, ReverseProxyPlugin } from './lib/proxies/reverse-proxy.js'
export type { ProxyCheck, Proxies, ProxyStatus, PublishOptions, PublishResult } from './lib/proxies/proxies.js'
export { wakerHeader } from './lib/proxies/site.js'
export { isIdle, sleepAfterMs } from './lib/instances/sleep-after.js'
export { refOf } from './lib/runtime/instance-ref.js'
export { ownerOfPort } from './lib/runtime/owner-of-port.js'
export { connectToOwner } from './lib/system/connect-to-owner.js'
export type { ConnectOptions, OwnedPort, PortOwner } from './lib/system/connect-to-owner.js'
export { inheritedListeners } from './lib/system/inherited-listeners.js'
export { describeHolder } from './lib/system/port-holder.js'
export { removeIfEmpty, socketFolder } from './lib/system/socket-folder.js'
export { otherEnd } from './lib/system/tcp-table.js'
export type { TcpSocket } from './lib/system/tcp-table.js'
export { startPublishing } from './lib/proxies/start-publishing.js'
export type { Publishing, PublishingOptions } from './lib/proxies/start-publishing.js'
export type { Diagnosis } from './lib/doctor/doctor.js'
export type { WireSetting } from './lib/actions/settings.js'
export type { GlobalSettings, SettingDescription } from './lib/settings/settings.js'
export type {
  TemplatePlaces,
  TemplateRevision,
  TemplateSource,
  TemplateSourcePlugin,
  TemplateVersion,
} from './lib/templates/template-source.js'
