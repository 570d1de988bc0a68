const companies = [
  { com_name: 'Ada Instruments', com_kind: 'customer', com_website: 'https://ada.example', com_place: '51.507;-0.128' },
  { com_name: 'Babbage Mills', com_kind: 'supplier', com_address: '1 Engine Road, Totnes', com_place: '50.432;-3.684' },
  { com_name: 'Curie Laboratories', com_kind: 'partner', com_website: 'https://curie.example' },
]

const contacts = [
  { con_email: 'ada@ada.example', con_firstname: 'Ada', con_lastname: 'Lovelace', con_role: 'Director', company: 0 },
  { con_email: 'charles@babbage.example', con_firstname: 'Charles', con_lastname: 'Babbage', company: 1 },
  { con_email: 'marie@curie.example', con_firstname: 'Marie', con_lastname: 'Curie', con_role: 'Head', company: 2 },
  { con_email: 'irene@curie.example', con_firstname: 'Irène', con_lastname: 'Joliot-Curie', company: 2 },
]

const tasks = [
  { tas_code: 'T1', tas_title: 'Send the offer', tas_priority: 'high', tas_hours: 1.5, contact: 0, days: 1 },
  { tas_code: 'T2', tas_title: 'Agree on the delivery', tas_hours: 4, contact: 1, days: 3, state: 'running' },
  { tas_code: 'T3', tas_title: 'Visit the laboratory', tas_priority: 'low', tas_hours: 6, contact: 2, days: 14 },
  { tas_code: 'T4', tas_title: 'Write the report', tas_hours: 2, contact: 3, days: -2, state: 'done' },
]

/**
 * A few records to look at; delete them, or this file and `setup` in app.yaml before the first start.
 *
 * @param {import('@steward/app-server').SetupContext} context
 */
export default async function setup({ service, principal }) {
  const companyIds = []
  for (const values of companies) companyIds.push((await service.create(principal, 'Company', values)).row_id)
  const contactIds = []
  for (const { company, ...values } of contacts)
    contactIds.push(
      (await service.create(principal, 'Contact', { ...values, con_company_id: companyIds[company] })).row_id,
    )
  for (const { contact, days, state, ...values } of tasks) {
    const due = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const { row_id: id } = await service.create(principal, 'Task', {
      ...values,
      tas_due: due,
      tas_contact_id: contactIds[contact],
    })
    if (state) await service.update(principal, 'Task', id, { tas_state: state })
  }
}
