export const PEOPLE_FILTERS = ['all', 'owners', 'suspended', 'unverified'] as const
export const PEOPLE_ORDERS = ['newest', 'oldest'] as const
