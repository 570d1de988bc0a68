export { BackgroundTask } from './lib/system/background-task.js'
export { AuditEntry, Event, Lease } from './lib/system/change-objects.js'
export { createRevokedTokens } from './lib/system/revoked-tokens.js'
export type { RevokedTokensOptions } from './lib/system/revoked-tokens.js'
export {
  Grant,
  Group,
  Module,
  Responsibility,
  RevokedToken,
  SystemParam,
  systemObjects,
  User,
} from './lib/system/system-objects.js'
export {
  administratorGroup,
  createAdministrator,
  findAdministrator,
  resetAdministrator,
} from './lib/system/administrator.js'
export type {
  AdministratorOptions,
  CreateAdministratorOptions,
  NewAdministrator,
  ResetAdministrator,
} from './lib/system/administrator.js'
export { changePassword } from './lib/system/change-password.js'
export { setupParameter } from './lib/system/check-parameter.js'
export { IdempotencyKey } from './lib/system/idempotency-key.js'
export { createUserDirectory, isDirectoryObject } from './lib/system/user-directory.js'
export type { UserDirectory, UserDirectoryOptions } from './lib/system/user-directory.js'
export { claimData } from './lib/system/claim-data.js'
export type { ClaimDataOptions } from './lib/system/claim-data.js'
export { createVersionWatch, prepareVersion } from './lib/system/shared-version.js'
export type { VersionWatch, VersionWatchOptions } from './lib/system/shared-version.js'
export { createSystemParameters } from './lib/system/system-parameters.js'
export type { SystemParameters, SystemParametersOptions } from './lib/system/system-parameters.js'
export { Webhook, WebhookDelivery } from './lib/system/webhook-objects.js'
export { createEventHub } from './lib/events/event-hub.js'
export type { EventHub, EventHubOptions } from './lib/events/event-hub.js'
export { eventFor } from './lib/events/event.js'
export type { EventRecord } from './lib/events/event.js'
export { purgeAuditEntries } from './lib/events/purge.js'
export { prepareWebhooks } from './lib/events/prepare-webhooks.js'
export type { PrepareWebhooksOptions } from './lib/events/prepare-webhooks.js'
export { createWebhookDispatcher } from './lib/events/webhook-dispatcher.js'
export type { WebhookDispatcher, WebhookDispatcherOptions } from './lib/events/webhook-dispatcher.js'
export type { WebhookRequest, WebhookSender } from './lib/events/webhook-message.js'
export type { WebhookRetry } from './lib/events/webhook-retry.js'
