//! Plain word lists: tag names, message text, companies, e-mail providers, browsers and short replies.

/// Adjectives of tag names.
pub(super) const ADJECTIVES: &str = "Amber Ancient Autumn Blue Bold Brave Bright Broken Calm Clever Cold Copper Crimson Crystal Dancing Dark Distant \
    Early Eastern Electric Emerald Empty Endless Fading Final First Flying Forgotten Frozen Gentle Golden Green \
    Hidden Hollow Iron Ivory Last Late Little Lonely Long Lost Lucky Midnight Modern Northern Open Pale Patient \
    Perfect Quiet Rapid Red Restless Rising Royal Rustic Sacred Scarlet Secret Silent Silver Simple Sleeping Slow \
    Small Southern Strange Summer Sunken Sweet Tall Tender Twin Velvet Violet Wandering Warm Western White Wild \
    Winter Wooden Young";
/// Nouns of tag names.
pub(super) const NOUNS: &str = "Anchor Arrow Bell Bird Bridge Candle Canyon Castle Circle City Cloud Coast Compass Corner Crown Dawn Desert Door \
    Dream Echo Engine Falcon Field Fire Forest Fountain Fox Garden Gate Harbor Harvest Heart Hill Horizon Horse \
    House Island Journey Key Kingdom Lantern Letter Light Lion Machine Map Market Meadow Mirror Moon Morning \
    Mountain Night Ocean Orchard Paper Path Piano Pilot Planet Rain River Road Rose Sail Sea Season Shadow Ship \
    Shore Sky Snow Song Spring Star Station Stone Storm Story Street Sun Thunder Tide Tower Traveller Tree Valley \
    Village Voice Water Wave Wheel Wind Window Wolf Wonder";
/// Words of message text.
pub(crate) const PROSE: &str = "a about across after again against all almost along also although always among an and another any around as at \
    away back be became because been before began behind being below best better between both bring brought build \
    built but by call came can care carried cause change children city clear close come common could country course \
    cut day deep did different do does done down during each early earth east end enough even ever every example \
    face fact family famous far few field final find fine first five follow form found four free friend from full \
    further gave general give given go good great group grew had half hand hard has have he head hear held help her \
    here high him his home hope hour house how idea if important in interest into is it its just keep kept kind knew \
    know known land large last late later lead learn leave led left less letter life light like line list little \
    live long look made main make many may mean might mind more morning most mother move much music must name near \
    never new next night no north not note now number of off often old on once one only open or order other our out \
    over own page part past people perhaps period place plan play point public published put quite rather read real \
    record remain rest result right river road room said same saw school sea second see seem seen set several she \
    short should show side simple since small so some song soon south stand start state stay still stood story study \
    such sure take talk tell than that the their them then there these they thing think third this those though \
    thought three through time to today together told took toward town travel true turn two under until up upon use \
    very voice walk want war was water way we week well went were west what when where which while white who whole \
    why will with without word work world would write year years young";
/// Kinds of company, the second part of a company name.
pub(super) const SECTORS: &str =
    "Airlines Motors Telecom Bank Energy Foods Software Pharmaceuticals Media Shipping Steel Insurance";
/// E-mail providers (reserved example domains, so that no address can exist).
pub(crate) const EMAIL_DOMAINS: [&str; 6] = [
    "mail.example.com",
    "post.example.com",
    "inbox.example.net",
    "letters.example.net",
    "box.example.org",
    "net.example.org",
];
/// Browsers and how many of 100 persons use them.
pub(crate) const BROWSERS: [(&str, u32); 5] =
    [("Firefox", 39), ("Chrome", 29), ("Internet Explorer", 23), ("Safari", 6), ("Opera", 3)];
/// Comments of one or two words.
pub(crate) const SHORT_REPLIES: [&str; 16] = [
    "yes",
    "no",
    "ok",
    "thanks",
    "great",
    "maybe",
    "cool",
    "right",
    "good",
    "fine",
    "I see",
    "no way!",
    "agreed",
    "why?",
    "not sure",
    "well said",
];
