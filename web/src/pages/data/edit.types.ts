import type { PropertyKey } from '../../api/types';

export type { Properties } from '../../api/types';
export type Property = Pick<PropertyKey, 'data_type' | 'cardinality'>;
export type PropertyKeys = Record<string, Property | undefined>;
