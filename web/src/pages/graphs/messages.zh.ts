import type { graphs as en } from './messages.en';

export const graphs: typeof en = {
    title: '图管理',
    name: '名称',
    backend: '引擎',
    default: '默认',
    open: '打开',
    create: '新建图',
    nameNote: '字母、数字和 _，以字母开头。',
    auto: '首次写入时自动建立模式',
    clone: '复制其模式',
    nothing: '不复制',
    createAction: '新建',
    clear: '清空',
    clearText: (name) => `将删除图 ${name} 中的全部内容：顶点、边和模式。`,
    drop: '删除',
    dropText: (name) => `将删除图 ${name} 及其全部内容。`,
    isDefault: '默认图不能删除。',
};
