// What the REST API answers, as far as pages read it.
import type { Scalar, Value } from './json';

export type Id = string | number | bigint;
export type Properties = Record<string, Value>;

export interface Vertex {
    id: Id;
    label: string;
    type: 'vertex';
    properties: Properties;
}

export interface Edge {
    id: string;
    label: string;
    type: 'edge';
    outV: Id;
    outVLabel: string;
    inV: Id;
    inVLabel: string;
    properties: Properties;
}

export type DataType =
    'TEXT' | 'INT' | 'LONG' | 'FLOAT' | 'DOUBLE' | 'BOOLEAN' | 'DATE' | 'UUID' | 'BYTE' | 'BLOB' | 'OBJECT';
export type Cardinality = 'SINGLE' | 'LIST' | 'SET';
export type IdStrategy = 'PRIMARY_KEY' | 'AUTOMATIC' | 'CUSTOMIZE_STRING' | 'CUSTOMIZE_NUMBER' | 'CUSTOMIZE_UUID';
export type IndexType = 'SECONDARY' | 'RANGE' | 'SEARCH' | 'SHARD' | 'UNIQUE' | string;
export type Kind = 'propertykeys' | 'vertexlabels' | 'edgelabels' | 'indexlabels';

interface Definition {
    id: number;
    name: string;
    status?: string;
    user_data?: Record<string, Value>;
}

export interface PropertyKey extends Definition {
    data_type: DataType;
    cardinality: Cardinality;
    aggregate_type?: string;
    write_type?: string;
    properties?: string[];
}

export interface VertexLabel extends Definition {
    id_strategy: IdStrategy;
    primary_keys: string[];
    nullable_keys: string[];
    index_labels: string[];
    properties: string[];
    ttl?: number;
    enable_label_index?: boolean;
}

export interface EdgeLabel extends Definition {
    source_label: string;
    target_label: string;
    frequency: string;
    sort_keys: string[];
    nullable_keys: string[];
    index_labels: string[];
    properties: string[];
    ttl?: number;
    enable_label_index?: boolean;
}

export interface IndexLabel extends Definition {
    base_type: 'VERTEX_LABEL' | 'EDGE_LABEL';
    base_value: string;
    index_type: IndexType;
    fields: string[];
}

export interface Schema {
    propertykeys: PropertyKey[];
    vertexlabels: VertexLabel[];
    edgelabels: EdgeLabel[];
    indexlabels: IndexLabel[];
}

export interface Page<T> {
    items: T[];
    /** Where the next page begins; null at the end. */
    next: string | null;
}

export interface Task {
    id: number;
    task_name: string;
    task_type: string;
    task_status: string;
    task_progress: number;
    task_create: number;
    task_update?: number;
    task_retries?: number;
    task_description?: string;
    task_result?: Scalar;
    task_dependencies?: number[];
}
