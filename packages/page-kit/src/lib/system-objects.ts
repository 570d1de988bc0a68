/** Names that the service reserves for itself: objects that every application has. */
const names = new Set([
  'AuditEntry',
  'BackgroundTask',
  'Event',
  'Grant',
  'Group',
  'IdempotencyKey',
  'Lease',
  'Module',
  'Responsibility',
  'RevokedToken',
  'SystemParam',
  'User',
  'Webhook',
  'WebhookDelivery',
])

/** Users, grants, parameters … rather than what the application is about. */
export function isSystemObject(name: string): boolean {
  return names.has(name)
}
