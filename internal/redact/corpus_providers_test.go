package redact

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// providerForms are the services whose keys have no form of their own that other scanners look for:
// each name with the alphabet and length of its key, as the service documents it. h is hexadecimal,
// z small letters and digits, a letters and digits, U capitals and digits, w letters, digits, "_" and
// "-", b base64, u a UUID, d digits.
const providerForms = `
abbysale a40|abstract h32|abuseipdb h80|accuweather a32|adafruitio a32|adzuna h32|aeroworkflow a20|agora h32|aha h64|airbrake h32|airship a22|airvisual u|aiven w372|
alchemy w32|alconost z32|alegra z20|aletheia a32|algolia h32|alienvault h64|allsports z64|amadeus a32|ambee h64|amplitude h32|anypoint u|apacta w36|api2cart h32|apideck a64|
apiflash h32|apifonica w48|apilayer a32|apimatic w64|apimetrics a32|apitemplate z39|appcues z36|appfollow w20|appointedd a88|appoptics w71|appsynergy z64|apptivo z32|artsy h32|
asana h32|assemblyai h32|atera z32|audd h32|auth0 w64|autodesk a32|autoklose z32|autopilot h32|avazapersonal w50|aviationstack h32|axonaut h32|aylien h32|ayrshare U31|
azuredevops z52|bannerbear a22|baremetrics w40|baseapi z32|beamer w45|beebole h40|belvo w40|besnappy h64|besttime w36|billomat h32|bingmaps w64|bitbar z32|bitcoinaverage a43|
bitfinex a43|bitly h40|bitmex w48|bitrise w40|blablabus a22|blazemeter z20|blitapp a39|blogger w39|bombbomb w40|boostnote h64|borgbase w148|braze u|brandfetch a40|browserstack a20|browshot a28|
bscscan U34|buddyns z32|budibase h32|bugherd z22|bugsnag h32|bulbul z32|bulksms a29|buttercms h40|calendarific z40|callfire z32|campayn h40|cannyio u|capsulecrm w64|
captaindata u|carboninterface a21|cashboard a20|caspio z8-z40|celigo h32|centralstationcrm z30|cexio z24|chartmogul h32|chatbot a32|chatfule w128|checio w32|checklyhq z32|checkout u|
checkvist a14|cicero h40|clarifai h32|clearbit z35|clicksendsms u|clickhelp a24|cliengo u|clockify a48|clockworksms w24|closecrm w40|cloudconvert w300|cloudelements a43|cloudflare w40|
cloudimage w30|cloudmersive u|cloudplan w32|cloudsmith h40|cloudways a30|clustdoc a60|codacy a20|codeclimate h40|codemagic w43|codequiry w64|coinapi u|coinbase w64|coinlayer h32|coinlib a16|
collect2 u|column a27|commercejs z48|commodities w60|companyhub a20|confluent a64|contentful w43|convertapi a16|convertkit w43|convier w45|copper a32|copyscape z16|countrylayer h32|courier w28|coveralls a37|
craftmypdf w35|crowdin h80|cryptocompare h64|currencycloud h64|currencyfreaks h32|currencylayer h32|currencyscoop h32|currentsapi w48|customerguru z50|customerio z20|d7network w164|dailyco h64|dandelion z32|databox a21|
datadog h40|datagov a40|debounce a13|deepai u|deepgram h40|delighted a32|demio a32|deputy h32|detectify h32|detectlanguage h32|dfuse w64|diffbot z32|diggernaut h40|digitalocean h64|
discord w59|disqus a64|ditto u|dnscheck h32|docparser h40|documo w800|docusign u|doppler a43|dotdigital a18|dovico z32|dronahq z50|droneci a32|dropbox w64|duply u|dwolla a50|dynalist a40|
dyspatch U52|eagleeyenetworks a15|easyinsight a20|ecostruxureit w68|edamam h32|edenai w150|eightxeight a23|elasticemail U96|elasticpath a43|enablex a36|endorlabs w40|enigma a40|enterprise w30|
envoyapi z52|eraser a20|etherscan U34|ethplorer w22|etsy a24|everhour h36|exchangerateapi h24|exchangeratesapi h32|exportsdk z32|extractorapi z40|facepp w32|faceplusplus w32|fastforex z28|fastly w32|
feedier z32|fetchrss w40|fibery h40|fileio a16|finage w35|financialmodelingprep h32|findl u|finnhub z20|fixerio a32|flatio a128|fleetbase a32|flexport w40|flickr h32|flightapi z24|
flightlabs w300|flightstats h32|float w40|flowflu a51|flutterwave w32|fmfw w32|foursquare U48|fountain w32|foxpass h40|freshbooks h64|freshdesk a20|frontapp w180|fullstory w88|fusebill a88|fxmarket w20|
gainsight u|gemini a28|gengo w64|geoapify z32|geocode z27|geocodify h40|geocodio h39|geoipifi z32|getgeoapi z40|getgist w50|getresponse z32|getsandbox z40|gitter h40|glassnode a27|gocanvas w64|
godaddy w37|goodday h32|googlemaps w39|graphcms w120|graphhopper u|groovehq h64|gtmetrix h32|guardianapi u|gumroad w43|gyazo w43|happi a40|happyscribe a24|harvest w97|hellosign h64|helpcrunch w328|helpscout a56|
hereapi w43|heroku u|hive z17|hiveage w20|holidayapi u|holistic w40|honeycomb w22|host a14|html2pdf a64|hubspot u|humanity h40|hunter h40|hypertrack w54|ibmcloud w44|iconfinder w64|iexcloud w35|imagekit a32|
imagga h32|impala w46|infobip h32-u|insightly u|instabot w43|instamojo h32|integromat u|intercom w60|interseller w32|intra42 h64|intrinio a44|invoiceocean w20|ip2location U32|ipapi h32|ipdata h56|ipgeolocation z32|
ipinfodb z64|ipquality a32|ipstack h32|jdbc a20|jiratoken a24|jotform z32|jumpcloud z40|jupiterone w76|juro a40|kairos z32|kaleyra a35|kanban U12|karmacrm a20|keenio U64|kickbox a64|klaviyo h34|klipfolio h40|knapsackpro h32|
kontent w370|kraken w56|kucoin u|kylas a36|languagelayer h32|larksuite a32|launchdarkly u|leadfeeder a43|lemlist a32|lessannoyingcrm w57|lexigram w300|linearapi a40|linenotify a43|linkpreview a32|liveagent a32|livestorm w88|loadmill u|
locationiq w33|loggly u|loginradius u|logzio u|lokalise h40|loyverse h32|luno a13|madkudu h32|magicbell a40|mailboxlayer h32|mailchimp h32|mailerlite h32|mailgun h32|mailjet h32|mailmodo a30|mailsac a60|mandrill w22|manifest a16|
mapbox w80|mapquest a32|marketstack h32|mattermost z26|maxmind a16|mavenlink h64|mediastack h32|meistertask a43|meraki h40|mesibo a64|messagebird a25|metaapi w200|metabase u|metrilo z16|microsoftteams u|mindmeister a43|miro a27|mite z16|
mixmax u|mixpanel h32|mockaroo z8-z12|moderation u|monday w147|monkeylearn h40|moonclerk h32|moosend u|moralis a64|mrticktock a16|mux a75|myfreshworks a17|myintervals a11|nasdaqdatalink a20|nethunt u|netcore h32|netlify w43|neutrinoapi a48|newsapi h32|
newscatcher w43|nexmo a16|nftport u|ngc a84|ngrok a49|nicereply h40|nightfall w36|nimble a30|noticeable a20|notion a43|nozbeteams w83|numverify h32|nutritionix h32|nylas a30|nytimes a32|oanda h32|okta w42|omnisend w75|onedesk z32|onelogin h64|onepagecrm w44|
onesignal u|onfleet h32|onwaterio a20|oopspam a40|openai a48|opencagedata h32|opengraphr w80|openuv z32|openweather h32|opsgenie u|optimizely w54|outplay h32|owlbot h40|packagecloud h48|pagarme z42|pagerduty w20|pandadoc h40|pandascore w51|
paperform w850|paralleldots a43|parsehub w12|parsers u|parseur h40|partnerstack w64|passbase a128|pastebin h32|paymo a44|paymongo a24|paypal w80|paystack h40|pdflayer h32|pdfshift h32|peopledatalabs h64|pepipost h32|percy h64|pinata h64|pipedream h32|pipedrive h40|
pivotaltracker h32|pixabay h32|plaid h30|planyo a62|planviewleankit z128|plivo w40|podio a64|pollsapi u|poloniex h128|polygon a32|portainer w44|positionstack h32|postageapp a32|postbacks a32|posthog w43|postmark u|powrbot h40|prefect a36|privacy u|
prodpad h64|prospectcrm w32|protocolsio h64|proxycrawl w22|pubnub u|pulumi h40|purestake a40|pushbullet w34|pusher h20|qase h40|qualaroo h88|qubole a64|quickmetrics w22|ramp a48|rapidapi w50|raven z16|rawg h32|razorpay a24|reachmail w32|readme a60|reallysimplesystems w45|
rebrandly h32|redis a32|refiner u|rentman w70|repairshopr w51|restpack w48|revampcrm a40|ringcentral a22|ritekit h44|roaring a28|rocketreach h28|rollbar h32|rownd a48|rubygems h48|runrunit h32|salesblink w16|salescookie a32|salesflare w45|salesmate u|satismeter w24|
saucelabs u|scalewaykey u|scalr w136|scrapeowl z30|scraperapi h32|scraperbox U32|scrapersite a45|scrapestack h32|scrapfly h32|scrapingant h32|scrapingbee U80|screenshotapi U23|screenshotlayer h32|scrutinizerci h64|securitytrails a32|segment w43|selectpdf u|semaphore h40|
sendbird h40|sendbirdorganization h40|sendgrid w66|sendinblue a80|sentry h64|serphouse a60|serpstack h32|sheety a64|sherpadesk z32|shipday a11|shodan a32|shortcut u|shotstack a40|shutterstock a32|shutterstock a16|sigopt U48|signable a32|signalwire w50|signaturit a86|signupgenius a32|
sigopt U48|simfin a32|simplesat h40|simplynoted a250|simvoly a33|sinchmessage h32|sirv a88|siteleaf h32|skrappio a42|skybiometry a26|slack a24|smartsheets a37|smartystreets a20|smooch w86|snipcart a75|snykkey u|sonarcloud h40|sourcegraph h40|sparkpost h40|speechtextai h32|splunkobservability a22|
spoonacular h32|sportradar a24|sportsmonk a60|spotify h32|sqlpad h64|square w64|squareup w43|sslmate h36|statuscake a20|statuspage u|statuspal a64|stitchdata h64|stockdata a40|storecove a43|stormboard h40|stormglass u|storyblok a22|storychief w940|strava h40|streak h32|stripe a24|stripo w112|stytch w47|
sugester a32|sumologickey a64|supernotes w43|surveyanyplace a32|surveybot a80|surveysparrow w88|survicate z32|swell a24|swiftype z36|tallyfy w300|tatumio u|taxjar h32|teamgate h40|teamworkcrm w10-a25|technicalanalysisapi U48|telnyx w55|terraformcloud w67|text2data u|textmagic a30|theoddsapi h32|
thinkific h32|thousandeyes a32|ticketmaster a32|tickettailor a42|tiingo h40|timecamp h26|timezoneapi a20|tineswebhook h64|tmetric U64|todoist h40|toggltrack h32|tokeet u|tomorrowio a32|tomtom a32|tradier a28|transferwise u|travelpayouts h32|travisci a22|trello h32|trustpilot a32|tru h32|twelvedata h32|
twilio h32|twist h46|twitch z30|twitter a50|tyntec a32|typeform w59|typetalk a64|ubidots w36|uclassify a12|unifyid a64|unplugg h64|unsplash w43|upcdatabase U32|uplead h32|uploadcare h20|uptimerobot w32|urlscan u|user h32|userflow a20|userstack h32|vagrantcloud a90|vatlayer h32|vercel a24|verifier h96|
verimail U32|veriphone U32|versioneye h40|viewneo a40|virustotal h64|visualcrossing U25|voiceflow a24|voicegain w310|voodoosms a25|vouchery a16|vpnapi z32|vultrapikey U36|vyte z50|walkscore h32|weatherbit h32|weatherstack h32|web3storage w215|webex a64|webflow h64|webscraper a60|webscraping a32|wepay a62|
whoxy z33|wiz a52|worksnaps a40|workstack a60|worldcoinindex a35|worldweather a31|wrike w308|wunderlist h60|yandex w50|yelp w128|youneedabudget w43|yousign a32|youtube w39|zapierwebhook z26|zendeskapi a40|zenkitapi u|zenscrape u|zenserp u|zeplin w300|zerobounce h32|zerotier a32|zipapi u|zipbooks w43|
zipcodeapi a64|zipcodebase u|zohocrm w70|zonkafeedback h32|zulipchat a32`

// providerTexts are the ways in which such a key is written down; %[1]s is the service.
var providerTexts = []string{
	"%[1]s_api_key = \"%[2]s\"", "export %[1]S_API_KEY=%[2]s", "%[1]sToken: '%[2]s',", `{"%[1]s_secret": "%[2]s"}`,
	"%[1]s key is %[2]s", "%[1]s.api.key=%[2]s", "curl -H \"X-%[1]s-Key: %[2]s\" https://api.%[1]s.com/v1", "https://api.%[1]s.com/v1/items?api_key=%[2]s&page=2",
	"You can find a %[1]s secret %[2]s within", "const %[1]sApiKey = `%[2]s`;", "%[1]s token %[2]s", "  %[1]s:\n    token: %[2]s\n", "%[1]S_SECRET=%[2]s", "--%[1]s-token %[2]s",
}

var formAlphabets = map[byte]string{'h': hexes, 'z': hexes + "ghijklmnopqrstuvwxyz", 'a': alnum, 'U': uppers, 'w': alnumDash, 'b': alnum + "+/", 'd': "0123456789"}

// ofForm returns a random value of a form such as "h32", "u" or "z8-z40".
func ofForm(rnd *rand.Rand, form string) string {
	parts := strings.Split(form, "-")
	for i, p := range parts {
		if p == "u" {
			parts[i] = uuid(rnd)
			continue
		}
		n, err := strconv.Atoi(p[1:])
		if err != nil {
			panic(fmt.Sprintf("form %q: %v", form, err))
		}
		// The first and last byte are alphanumeric: a key's end is where a reader would see it.
		parts[i] = randomString(rnd, formAlphabets[p[0]], n)
		if p[0] == 'w' {
			parts[i] = randomString(rnd, alnum, 1) + parts[i][2:] + randomString(rnd, alnum, 1)
		}
	}
	return strings.Join(parts, "-")
}

// providerSecrets returns one secret of each service, written in the n-th way and the ways after it.
func providerSecrets(rnd *rand.Rand, n int) (list []planted) {
	for i, entry := range strings.Split(strings.ReplaceAll(strings.TrimSpace(providerForms), "\n", ""), "|") {
		name, form, ok := strings.Cut(entry, " ")
		if !ok {
			continue
		}
		text := providerTexts[(i+n)%len(providerTexts)]
		value := ofForm(rnd, form)
		text = strings.NewReplacer("%[1]s", name, "%[1]S", strings.ToUpper(name), "%[2]s", value).Replace(text)
		list = append(list, planted{"other scanners", name + " " + form, text, value})
	}
	return list
}
