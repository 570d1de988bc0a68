import type { BusinessRecord, ObjectModel, Selection } from '../model/model.js'

/** All readable fields: row id, own (passwords too), technical and joined ones. */
export function everything(object: ObjectModel): Selection {
  return object.select([...object.readable.keys()])
}

/** All records of a search. */
export async function readAll(batches: AsyncIterable<readonly BusinessRecord[]>): Promise<BusinessRecord[]> {
  const records: BusinessRecord[] = []
  for await (const batch of batches) records.push(...batch)
  return records
}
