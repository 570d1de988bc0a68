import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long, without their tier, the longest first. */
const longFiles = [
  /\/runtime\/(?:systemd\/systemd|swarm\/swarm|container-[^/]*)$/,
  /\/hostile-instance\/hostile-instance$/,
  /\/tests\/(?:rest-service|packages)$/,
  /\/api\/(?:api|faults)$/,
  /\/(?:waker\/sleeping|instances\/(?:documents|webapp)|upgrade\/rollback)$/,
  /\/(?:oracle\/store\/contract|tomcat\/tomcat-runtime)$/,
  /\/crash[^/]*$/,
  /\/(?:simulation|several-servers|consistency)\/[^/]*$/,
  /\/upgrade\/[^/]*$/,
  /\/(?:sqlite\/store\/adapter|memory\/memory-store)$/,
  /\/tests\/(?:openapi-fuzz|start|readmes)$/,
  /\/(?:proxies\/(?:httpd\/httpd|nginx\/nginx)|process-runtime|no-gap|limits)$/,
  /\/(?:manager-cli\/src\/commands|app-server\/src\/main|catalog)$/,
  /\.integration$/,
  /\/operation\/(?:faults|engine)$/,
]

/**
 * Starts the files first that are known to take long, so that none of them runs alone in the end. On its own Vitest
 * knows durations of earlier runs only; where there was none, as in a fresh clone, it goes by the size of files.
 */
export default class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is a sequencer's
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}

/** Position in the list of long files; others come after all of them. */
function rank({ moduleId }: TestSpecification): number {
  const name = moduleId.replace(/(?:\.(?:mixed|servers|deep))?\.test\.ts$/, '')
  const at = longFiles.findIndex((pattern) => pattern.test(name))
  return at === -1 ? longFiles.length : at
}
