import metadata from '../../package.json' with { type: 'json' }

/** The version of Portico. */
export const { version } = metadata
