// Chinese.
import { explore } from '../pages/explore/messages.zh';
import type { en } from './messages.en';

export const zh: typeof en = {
    explore,
    app: {
        skip: '跳到正文',
        pages: '页面',
        graph: '图',
        language: '语言',
        theme: '配色',
        themes: { system: '跟随系统', light: '浅色', dark: '深色', contrast: '高对比度' },
        requests: (open) => `${open} 个请求进行中`,
        offline: '服务器没有响应。',
        unknown: '此地址没有页面。',
        toStart: '返回概览',
        failed: '此页面出错，其他页面仍可使用。',
        loading: '加载中',
        copyAs: '复制为',
        copied: '已复制',
    },
    pages: {
        overview: '概览',
        explore: '探索',
        query: '查询',
        data: '数据',
        schema: '模式',
        tasks: '任务',
        graphs: '图管理',
        metrics: '指标',
    },
    common: {
        cancel: '取消',
        close: '关闭',
        retry: '重试',
        retryIn: (seconds) => `服务器繁忙，${seconds} 秒后重试`,
        more: '更多',
        all: '全部',
        none: '无',
        unknown: '未知',
        rows: (count) => `${count} 行`,
    },
    error: {
        offline: '无法连接服务器。服务器可能已停止；此请求没有改变任何内容。',
        offlineWrite: '在收到响应之前连接已断开：不确定更改是否已生效，请先检查。',
        title: (status) => `服务器拒绝了此请求（${status}）`,
        place: '请求',
    },
    overview: {
        title: '概览',
        vertexLabels: '顶点标签',
        edgeLabels: '边标签',
    },
};
