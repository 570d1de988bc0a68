import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long, the longest first; an entry for another kind of file holds for all of that kind. */
const longFiles = [
  /\/runtime\/(?:systemd|swarm|container)[^/]*\//,
  /\/runtime\/container-[^/]*\.test\.ts$/,
  /\/tests\/packages\.test\.ts$/,
  /\/runtime\/tomcat\/tomcat-runtime\.test\.ts$/,
  /crash[^/]*\.test\.ts$/,
  /\/tests\/rest-service\.test\.ts$/,
  /\/tests\/consistency\//,
  /\/tests\/openapi-fuzz\.test\.ts$/,
  /\/proxies\/(?:httpd\/httpd|nginx\/nginx)\.test\.ts$/,
  /\/(?:upgrade\/upgrade|process-runtime|no-gap|limits)\.test\.ts$/,
  /\.integration\.test\.ts$/,
  /\/app-server\/src\/main\.test\.ts$/,
  /\/tests\/(?:start|readmes)\.test\.ts$/,
  /\/operation\/(?:faults|engine)\.test\.ts$/,
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
  const at = longFiles.findIndex((pattern) => pattern.test(moduleId))
  return at === -1 ? longFiles.length : at
}
