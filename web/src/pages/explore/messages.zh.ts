import type { explore as en } from './messages.en';

export const explore: typeof en = {
    title: '探索',
    label: '标签',
    chooseLabel: '选择一个标签以查看其顶点。',
    vertex: '顶点',
};
