import { describe, expect, it } from 'vitest';
import { statementsOf } from './statements';

const texts = (text: string): string[] => statementsOf(text).map((one) => one.text);

describe('the statements of a Cypher text', () => {
    it('end at semicolons', () => {
        expect(texts('RETURN 1')).toEqual(['RETURN 1']);
        expect(texts('RETURN 1;\n\n RETURN 2 ;')).toEqual(['RETURN 1', 'RETURN 2']);
        expect(texts(' ;; ')).toEqual([]);
    });

    it('do not end within texts, names and comments', () => {
        const one = "MATCH (`a;b`) // no; \n WHERE x = 'it\\'s; ' AND y = \"';\" /* ; */ RETURN 1";
        expect(texts(`${one}; RETURN 2 // the end;`)).toEqual([one, 'RETURN 2 // the end;']);
        expect(texts('RETURN 1; // only this;\n/* ; */')).toEqual(['RETURN 1']);
        expect(texts("RETURN 'not closed; RETURN 2")).toEqual(["RETURN 'not closed; RETURN 2"]);
    });

    it('know where they begin', () => {
        const text = 'RETURN 1;\n  RETURN 2';
        expect(statementsOf(text).map(({ from }) => from)).toEqual([0, text.lastIndexOf('RETURN')]);
    });
});
