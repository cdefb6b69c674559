export const explore = {
    title: 'Explore',
    label: 'Label',
    chooseLabel: 'Choose a label to see its vertices.',
    vertex: 'Vertex',
};
