// Waiting for a task of the server.
import { ApiError } from '../../api/errors';
import * as api from '../../api/graph';
import type { Task } from '../../api/types';

export const ended: readonly string[] = ['success', 'failed', 'cancelled'];

/** True once nothing more happens to a task. */
export function isEnded(task: Task): boolean {
    return ended.includes(task.task_status.toLowerCase());
}

/** Waits until a task has ended well; throws what it failed with. */
export async function waitForTask(graph: string, id: number, everyMs = 300): Promise<Task> {
    for (;;) {
        const task = await api.task(graph, id, undefined, true);
        if (isEnded(task)) {
            if (task.task_status.toLowerCase() === 'success') return task;
            const why = String(task.task_result ?? task.task_status);
            throw new ApiError(why, 200, task.task_status, 'GET', `${api.base(graph)}/tasks/${id}`);
        }
        await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
}
