import { needs } from '../../../../../tests/servers/index.js'
import { testCrashes } from '../testing/crash-suite.js'

needs('postgresql', (url) => {
  const { hostname, port, username, password } = new URL(url)
  testCrashes(['add', 'clone', 'reset', 'delete', 'undelete', 'purge'], {
    isMeant: (point) => 'step' in point && ['database', 'data', 'trash', 'place'].includes(point.step),
    config: [
      'export APPS_DATABASES=sqlite,postgresql',
      'export APPS_DEFAULTDATABASE=postgresql',
      `export APPS_POSTGRESQL_HOST=${hostname}`,
      `export APPS_POSTGRESQL_PORT=${port}`,
      `export APPS_POSTGRESQL_ADMINUSER=${decodeURIComponent(username)}`,
      `export APPS_POSTGRESQL_ADMINPASSWORD='${decodeURIComponent(password)}'`,
    ],
  })
})
